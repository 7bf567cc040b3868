"""Explanations: why, how, why not, what if, limits, compare; all from answers, trace and rules.

Owns what is said about a consultation beside its result. Whoever explains consults again and
again with other answers: all of it goes through one :class:`~advisor.explain.adviser.Adviser`,
which remembers.
"""
