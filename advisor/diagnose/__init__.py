"""From an error text to ranked causes; loaded only when there is a text to diagnose."""
