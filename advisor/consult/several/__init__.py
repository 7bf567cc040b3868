"""Several loads on the same GPUs: each is sized by itself, then fleets that carry all compete."""
