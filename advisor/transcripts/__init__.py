"""Transcripts: consultations as Markdown files that are documentation, examples and tests at once.

Owns their format, how a consultation is put down as one, and how one is held again to see what
drifted. Replay drives the interview, never the text: whenever a question comes, its key is looked
up. Must not size, decide, or know how a face shows an interview.
"""
