"""Analysis of the rules as decision tables: gap, conflict, masked, dead, unasked, unused, stale.

Nothing here takes part in a consultation. Rules are looked at as texts about facts: ``cases``
turns them into tests of a few finite values, ``search`` looks for an assignment that satisfies
some and none of others, and each finding is such an assignment or the proof that there is none.
"""
