"""Answers in, consultation out: :func:`advisor.consult.advise.advise`.

``understand`` resolves names and defaults, ``candidates`` sizes what could serve, rules match on
the candidates, ``ranking`` orders the survivors, ``decide`` writes the decisions. All pure.
"""
