"""The interview: what to ask next, sessions, commands, and what is shown of them.

Owns the course of a consultation in questions and answers. Must not know how it is shown: the
terminal interface and the plain mode render the same frozen view.
"""
