"""What a person types, read deterministically: a sentence, or the reply to a question.

Nothing is imported here. Use

* :func:`advisor.interview.reading.sentence.read_sentence` for any sentence,
* :func:`advisor.interview.reading.reply.read_reply` for the reply to one question,
* :mod:`advisor.interview.reading.model` for what both return.

No guess is made: what can mean several things comes back with its readings, what says nothing
comes back as ``rest``. The wording is data, in ``knowledge/phrases``.
"""
