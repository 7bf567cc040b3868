"""The terminal interview. Not written yet: this package is empty on purpose.

Installed as ``advisor.ui``. What comes here renders views and holds no logic; inside,
imports of the interface are relative, imports of the advisor absolute (``advisor.…``), so
that type checkers resolve both.
"""
