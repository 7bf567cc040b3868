"""Reasons that read otherwise: figures of a choice, also of one load of several, that move."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.consult.consultation import Consultation
from advisor.explain.explanation import Line, line
from advisor.explain.words import sections, sentences, title_of

__all__ = ["reason_data", "reason_lines"]

_FIGURE = re.compile(r"[0-9][0-9.,]*")


def reason_data(before: Consultation, after: Consultation) -> list[dict[str, object]]:
    """Return the sentences of reasons that differ: of which decision, before and after."""
    return [
        {"decision": name, "before": old, "after": new} for name, old, new in _moved(before, after)
    ]


def reason_lines(before: Consultation, after: Consultation) -> Iterator[Line]:
    """Yield the sentences of reasons that differ.

    Args:
        before: What the answers as given lead to.
        after: What the replaced ones lead to.
    """
    found = list(_moved(before, after))
    figures = any(old and new for _, old, new in found)
    for name, old, new in found:
        # where figures moved they are told, and what else reads otherwise only if all is wanted
        less = figures and not (old and new)
        was = f" (was: {old.rstrip('.')})" if old else ""
        text = f"{title_of(name)}: {new.rstrip('.')}{was}." if new else f"No longer: {old}"
        yield line(text, sections(after.decisions.get(name), name), indent=1, detail=less)  # type: ignore[call-overload]


def _moved(before: Consultation, after: Consultation) -> Iterator[tuple[str, str, str]]:
    """Yield decision and sentence, before and after; a sentence of one side only stands alone."""
    for name, decision in after.decisions.items():
        earlier = before.decisions.get(name)
        if earlier is None:
            continue
        old, new = (list(dict.fromkeys(sentences(one.because))) for one in (earlier, decision))
        gone = [text for text in old if text not in new]
        for text in new:
            if text in old:
                continue
            same = next((one for one in gone if _form(one) == _form(text)), "")
            if same:
                gone.remove(same)
            yield name, same, text
        for text in gone:
            yield name, text, ""


def _form(text: str) -> str:
    """Return a sentence without its figures."""
    return _FIGURE.sub("#", text)
