"""Turn results into text. No arithmetic here: every number arrives computed."""
