"""The terminal interview: renders views and holds no logic.

Installed as ``advisor.ui``; inside, imports of the interface are relative, imports of the
advisor absolute (``advisor.…``), so that type checkers resolve both.
"""
