"""``diagnose``: from a pasted error, log or ``kubectl describe`` to ranked causes.

>>> from advisor.store.loader import load_knowledge
>>> report = diagnose("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", load_knowledge())
>>> report.matches[0].id, report.unknown
('insufficient-gpu', False)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from advisor.answers.model import Answers
from advisor.consult.sections import Sections, sections_of
from advisor.diagnose.causes import ranked_causes
from advisor.diagnose.diagnosis import DiagnosisReport, Evidence, Match
from advisor.diagnose.lines import Line, cleaned, excerpt
from advisor.diagnose.pieces import pieces_of
from advisor.diagnose.recognise import Hit, hits_in, is_foreign, truncated_hits
from advisor.diagnose.situation import Situation
from advisor.diagnose.windows import Window, windows
from advisor.diagnose.wording import wording_of
from advisor.store.gotcha import Gotcha, Symptom
from advisor.store.in_use import using
from advisor.store.loader import Knowledge

__all__ = ["diagnose", "diagnose_lines"]

_NEAREST = 3
_SHORT_TEXT = 200
"""Up to so many lines every line end is looked at for a text that was cut."""
_REMEMBERED = 20
_MOST_MATCHES = 10


def diagnose(
    text: str, knowledge: Knowledge, answers: Answers | None = None, *, weights_fit: bool = False
) -> DiagnosisReport:
    """Return what ``text`` shows, best match first. Pure.

    Args:
        text: An error, a log, an event: partial, wrapped, prefixed or coloured as it was pasted.
        knowledge: The knowledge base.
        answers: What is known of the situation; known facts move causes up and down.
        weights_fit: Whether sizing found that what runs holds the weights.

    Raises:
        KnowledgeError: The symptoms or gotchas cannot be read.
    """
    return diagnose_lines(text.split("\n"), knowledge, answers, weights_fit=weights_fit)


def diagnose_lines(
    lines: Iterable[str],
    knowledge: Knowledge,
    answers: Answers | None = None,
    *,
    weights_fit: bool = False,
) -> DiagnosisReport:
    """Do the same for lines that are read as they come; memory stays bounded."""
    with using(knowledge):
        return _diagnosed(lines, knowledge, Situation(answers, knowledge, weights_fit=weights_fit))


def _diagnosed(lines: Iterable[str], knowledge: Knowledge, situation: Situation) -> DiagnosisReport:
    search = _Search(knowledge)
    for window in windows(cleaned(lines)):
        search.look(window)
    found = search.found()
    if not found:
        return DiagnosisReport(unknown=True, nearest=search.nearest())
    tell = _Teller(knowledge, situation)
    return DiagnosisReport(
        matches=tuple(tell.match(*one) for one in found[:_MOST_MATCHES]), unknown=False
    )


class _Search:
    """What was found so far, in three grades: literally, cut off, described."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._pieces, self._wording = pieces_of(knowledge), wording_of(knowledge)
        self._symptoms = knowledge.symptoms
        self._order = {one.symptom.id: place for place, one in enumerate(self._pieces)}
        self._best: tuple[dict[str, tuple[Hit, str]], ...] = ({}, {}, {})
        self._lines = 0
        self._last: deque[Line] = deque(maxlen=_REMEMBERED)

    def look(self, window: Window) -> None:
        """Search one window."""
        literally, cut, described = self._best
        for hit in hits_in(window, self._pieces):
            _keep(literally, hit, window)
        for line in self._fresh(window):
            if self._lines < _SHORT_TEXT or line.text.endswith("..."):
                for hit in truncated_hits(line, self._pieces):
                    self._keep(cut, hit, window)
            for hit in self._wording.hits(line):
                self._keep(described, hit, window)
            self._lines += 1
            self._last.append(line)

    def _keep(self, best: dict[str, tuple[Hit, str]], hit: Hit, window: Window) -> None:
        place = self._order.get(hit.id)
        if place is None or not is_foreign(window, hit.line, self._pieces[place]):
            _keep(best, hit, window)

    def _fresh(self, window: Window) -> Iterator[Line]:
        """Yield the lines that no earlier window had."""
        last = self._last[-1] if self._last else None
        first = next((n for n, line in enumerate(window.lines, 1) if line is last), 0)
        return iter(window.lines[first:])

    def found(self) -> list[tuple[Hit, str]]:
        """Return the hits of the surest grade that has any, best first."""
        for grade in self._best:
            told = self._told_by_symptoms(grade)
            if found := [kept for name, kept in grade.items() if name not in told]:
                return sorted(found, key=lambda kept: self._rank(kept[0]))
        return []

    def _told_by_symptoms(self, names: Iterable[str]) -> set[str | None]:
        """Return the gotchas that are causes of symptoms among ``names``: no second telling."""
        known = (self._symptoms[name] for name in names if name in self._symptoms)
        return {cause.gotcha for symptom in known for cause in symptom.causes} - set(self._symptoms)

    def _rank(self, hit: Hit) -> tuple[float, int, int]:
        return -round(hit.score, 2), hit.line.number, self._order.get(hit.id, len(self._order))

    def nearest(self) -> tuple[str, ...]:
        return self._wording.nearest(" ".join(line.text for line in self._last), _NEAREST)


def _keep(best: dict[str, tuple[Hit, str]], hit: Hit, window: Window) -> None:
    """Keep a hit, with the text around it, unless the same entry showed more clearly before."""
    known = best.get(hit.id)
    if known is None or hit.score > known[0].score:
        best[hit.id] = hit, window.around(hit.line)[0]


class _Teller:
    """Puts a hit into the words of the knowledge base."""

    def __init__(self, knowledge: Knowledge, situation: Situation) -> None:
        self._knowledge, self._situation = knowledge, situation
        self._sections: Sections = sections_of(knowledge)

    def match(self, hit: Hit, around: str) -> Match:
        record = self._record(hit.id)
        return Match(
            id=hit.id,
            title=record.title,
            score=round(hit.score, 2),
            evidence=Evidence(line=hit.line.number, text=excerpt(hit.line.shown, hit.position)),
            causes=ranked_causes(record, around, self._situation, self._knowledge, self._sections),
        )

    def _record(self, name: str) -> Symptom | Gotcha:
        return self._knowledge.symptoms.get(name) or self._knowledge.gotchas[name]
