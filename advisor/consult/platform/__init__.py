"""After GPU and pattern: how GPUs are shared, how nodes are provisioned, what will bite."""
