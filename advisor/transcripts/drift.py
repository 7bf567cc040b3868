"""What differs between a transcript and the same interview held now, by class; and both merged.

One walk over both does either: it notes every difference with its class, and takes the new side
where that class is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, get_args

from advisor.transcripts.markup import cited, code
from advisor.transcripts.model import Asked, Block, Bullet, Item, Said, Told, Transcript
from advisor.transcripts.steps import Step, steps_of, with_prose

__all__ = ["CLASSES", "Drift", "DriftClass", "compared"]

DriftClass = Literal["advice", "citation", "path", "reason", "assumption", "wording"]
CLASSES: tuple[DriftClass, ...] = get_args(DriftClass)

_T = TypeVar("_T")
_OF_COMMANDS: dict[str, DriftClass] = {
    "why": "reason",
    "how": "reason",
    "whynot": "reason",
    "facts": "path",
    "open": "reason",
    "find": "citation",
    "cite": "citation",
    "whatif": "advice",
    "limits": "advice",
    "compare": "advice",
    "edit": "advice",
    "so-far": "advice",
}
"""Class of what a command says; of the others it is wording."""
_OF_BLOCKS: dict[str, DriftClass] = {
    "Assumed": "assumption",
    "Answers, as a file": "path",
    "Rules, in the order in which they fired": "reason",
    "Not asked": "reason",
}
"""Class of the parts of the advice; of the others it is advice."""


@dataclass(frozen=True, slots=True)
class Drift:
    """One difference."""

    kind: DriftClass
    where: str
    """The key of a question, a part of the advice and what it is about."""
    old: str
    """As recorded; empty where it is new."""
    new: str
    """As it is now; empty where it is gone."""
    line: int | None = None
    """Where it stands in the file, if it is known."""

    def as_dict(self) -> dict[str, str]:
        """Return the entry of ``--format json``."""
        return {"class": self.kind, "where": self.where, "old": self.old, "new": self.new}


def compared(
    old: Transcript, new: Transcript, take: Collection[DriftClass] = ()
) -> tuple[Transcript, tuple[Drift, ...]]:
    """Return ``old`` with what is new in the classes of ``take``, and all that differs.

    Args:
        old: As read from its file.
        new: The same interview, held now.
        take: Classes to take over; all of them make it ``new`` with the author's words.
    """
    walk = _Walk(take)
    merged = replace(
        old,
        items=walk.items(old.items, new.items),
        advice=walk.advice(old, new),
        knowledge=new.knowledge if set(take) >= set(CLASSES) else old.knowledge,
    )
    return merged, tuple(walk.found)


class _Walk:
    """Notes differences and chooses sides."""

    def __init__(self, take: Collection[DriftClass]) -> None:
        self._take = frozenset(take)
        self.found: list[Drift] = []

    def pick(
        self,
        kind: DriftClass,
        where: str,
        pair: tuple[_T, _T],
        shown: Callable[[_T], str],
        line: int | None = None,
    ) -> _T:
        """Return one of a pair; note it when they differ."""
        old, new = pair
        if old == new:
            return old
        self.found.append(Drift(kind, where, shown(old), shown(new), line))
        return new if kind in self._take else old

    # ---- the interview ----

    def items(self, old: Sequence[Item], new: Sequence[Item]) -> tuple[Item, ...]:
        """Return what was asked and said."""
        before, after = steps_of(old), steps_of(new)
        paths = (tuple(step.name for step in before), tuple(step.name for step in after))
        path = self.pick("path", "questions and answers", paths, "\n".join)
        olds, news = ({step.name: step.item for step in steps} for steps in (before, after))
        chosen = []
        for name in path:
            if name in olds and name in news:
                chosen.append(Step(name, self._both(olds[name], news[name])))
            else:
                chosen.append(Step(name, olds.get(name) or news[name]))
        return with_prose(chosen, old)

    def _both(self, old: Asked | Said, new: Asked | Said) -> Asked | Said:
        if isinstance(old, Asked) and isinstance(new, Asked):
            return self._asked(old, new)
        if isinstance(old, Said) and isinstance(new, Said):
            return self._said(old, new)
        return old

    def _asked(self, old: Asked, new: Asked) -> Asked:
        where = old.key or "the end"
        kind: DriftClass = "reason" if old.key else "wording"
        return replace(
            old,
            text=self.pick("wording", where, (old.text, new.text), str, old.line),
            cites=self.pick("citation", where, (old.cites, new.cites), " ".join, old.line),
            decides=self.pick(kind, where, (old.decides, new.decides), str, old.line),
        )

    def _said(self, old: Said, new: Said) -> Said:
        kind = _kind_of_reply(old, new)
        where = f"You: {old.text}"
        return replace(old, reply=self.pick(kind, where, (old.reply, new.reply), _shown, old.line))

    # ---- the advice ----

    def advice(self, old: Transcript, new: Transcript) -> tuple[Block, ...]:
        """Return the parts of the advice, in the order of what is now."""
        titles = dict.fromkeys((*(b.title for b in new.advice), *(b.title for b in old.advice)))
        blocks = (self._block(title, old.block(title), new.block(title)) for title in titles)
        return tuple(block for block in blocks if block.bullets or block.text)

    def _block(self, title: str, old: Block | None, new: Block | None) -> Block:
        kind = _OF_BLOCKS.get(title, "advice")
        old, new = old or Block(title), new or Block(title)
        texts = (old.text or "", new.text or "")
        if any(texts):
            return Block(title, text=self.pick(kind, title, texts, str))
        return Block(title, self._bullets(kind, title or "Decisions", old.bullets, new.bullets))

    def _bullets(
        self, kind: DriftClass, title: str, old: Iterable[Bullet], new: Iterable[Bullet]
    ) -> tuple[Bullet, ...]:
        olds, news = ({one.id: one for one in some} for some in (old, new))
        both = [name for name in olds if name in news]
        order = (tuple(both), tuple(name for name in news if name in olds))
        self.pick(kind, f"{title}: order", order, "\n".join)
        names = news if kind in self._take else olds
        for name in (*olds, *news):
            if name not in olds or name not in news:
                pair = (olds.get(name), news.get(name))
                self.pick(kind, f"{title}: {name}", pair, _bullet)
        merged = {name: self._bullet(kind, title, olds[name], news[name]) for name in both}
        return tuple(merged.get(name) or names[name] for name in names)

    def _bullet(self, kind: DriftClass, title: str, old: Bullet, new: Bullet) -> Bullet:
        where = f"{title}: {old.id}"
        return replace(
            old,
            text=self.pick(kind, where, (old.text, new.text), str),
            notes=self.pick(kind, where, (old.notes, new.notes), "\n".join),
            cites=self.pick("citation", where, (old.cites, new.cites), " ".join),
            rules=self.pick("reason", where, (old.rules, new.rules), _codes),
        )


def _kind_of_reply(old: Said, new: Said) -> DriftClass:
    if [(one.text, one.indent) for one in old.reply] == [(o.text, o.indent) for o in new.reply]:
        return "citation"
    if old.text.startswith("/"):
        return _OF_COMMANDS.get(old.text[1:].split()[0], "wording")
    differing = set(old.reply) ^ set(new.reply)
    read = all(one.text.startswith("Understood: ") for one in differing)
    return "wording" if read else "assumption"


def _shown(lines: Iterable[Told]) -> str:
    return "\n".join(f"{'  ' * max(0, one.indent)}{cited(one.text, one.cites)}" for one in lines)


def _bullet(bullet: Bullet | None) -> str:
    if bullet is None:
        return ""
    return "\n".join((cited(bullet.text, bullet.cites), *bullet.notes))


def _codes(names: Iterable[str]) -> str:
    return ", ".join(map(code, names))
