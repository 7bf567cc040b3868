"""Keeps one interview on disk: after every answer, under a name, and says so when it cannot."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from advisor.answers.plain import thawed
from advisor.consult.consultation import Consultation
from advisor.errors import InputError, Problem
from advisor.explain.change import core
from advisor.interview.case_file import Case, Stated
from advisor.interview.case_place import case_name
from advisor.interview.session import Session
from advisor.interview.store import Store, TakenError
from advisor.reports.advice_words import headline

__all__ = ["Keeper", "Keeps", "Kept", "stated"]

SAVED = "saved"


@dataclass(frozen=True, slots=True)
class Kept:
    """What came of keeping."""

    state: str
    """``saved``, or ``not saved:`` and why."""
    notes: tuple[str, ...] = ()
    """What somebody has to be told: another name, a reason."""


class Keeps(Protocol):
    """Whatever keeps an interview."""

    store: Store

    @property
    def name(self) -> str:
        """The name of the case; empty while there is none."""

    def keep(self, session: Session, told: Consultation) -> Kept:
        """Keep the session; never raises for what a disk does."""

    def rename(self, name: str, session: Session, told: Consultation) -> Kept:
        """Keep it under another name.

        Raises:
            InputError: the name is taken or is none.
        """

    def anew(self) -> Keeps:
        """Return what keeps the next interview; this one's case stays as it is."""


class Keeper:
    """Keeps an interview in a store.

    Attributes:
        store: Where.
        name: Of the case; empty until there is something to keep.
    """

    def __init__(self, store: Store, case: Case | None = None) -> None:
        self.store = store
        self.name = "" if case is None else case.name
        self._known = None if case is None else (case.revision, case.writer)
        self._nameless = False
        """The name was made before there was a model to make it from."""
        self._writer = secrets.token_hex(8)
        self._state = SAVED

    def keep(self, session: Session, told: Consultation) -> Kept:
        """Keep the session, unless there is nothing to keep yet.

        Where another process has written the case since, it is kept under another name.
        """
        if not self.name and not _worth_keeping(session):
            return Kept(SAVED)
        return self._tried(lambda: self._kept(session, told))

    def rename(self, name: str, session: Session, told: Consultation) -> Kept:
        """Keep the session under a name that the user gives.

        Raises:
            InputError: the name is taken, or nothing of it can be a name.
        """
        wanted = case_name(name)
        if not wanted:
            message = "A name needs a letter or a digit: /save chat-70b."
            raise InputError(Problem("bad_name", message))
        if wanted == self.name:
            self._nameless = False
            return self.keep(session, told)
        free = self.store.free(wanted)
        if free != wanted:
            message = f"There is a case {wanted} already."
            raise InputError(Problem("taken", message, nearest=(free,)))

        def moved() -> tuple[str, ...]:
            with self.store.locked():
                self._move(wanted, session, told)
            self._nameless = False
            return ()

        return self._tried(moved)

    def anew(self) -> Keeper:
        """Return the keeper of another interview."""
        return Keeper(self.store)

    def _tried(self, write: Callable[[], tuple[str, ...]]) -> Kept:
        try:
            kept = Kept(SAVED, write())
        except OSError as error:
            kept = Kept(f"not saved: {error.strerror or error}")
        if kept.state != self._state:
            # said once, when it begins and when it ends
            words = f"{kept.state} ({self.store.folder})" if kept.state != SAVED else "saved again"
            kept = replace(kept, notes=(*kept.notes, f"{words[0].upper()}{words[1:]}."))
        self._state = kept.state
        return kept

    def _kept(self, session: Session, told: Consultation) -> tuple[str, ...]:
        with self.store.locked():
            base, has_model = self._base(session)
            if not self.name:
                self.name, self._nameless = self.store.free(base), not has_model
            elif self._nameless and has_model:
                self._move(self.store.free(base), session, told)
                self._nameless = False
                return ()
            try:
                self._put(session, told)
            except TakenError:
                return (self._elsewhere(session, told),)
        return ()

    def _put(self, session: Session, told: Consultation) -> None:
        written = self.store.put(self._case(session, told), self._known)
        self._known = (written.revision, written.writer)

    def _move(self, name: str, session: Session, told: Consultation) -> None:
        """Write under a new name, then take the old file away."""
        old, known = self.name, self._known
        self.name, self._known = name, None
        try:
            self._put(session, told)
        except OSError:
            self.name, self._known = old, known
            raise
        if old and known is not None:
            self.store.drop(old, known)

    def _elsewhere(self, session: Session, told: Consultation) -> str:
        old = self.name
        self.name, self._known = self.store.free(old), None
        self._put(session, told)
        return (
            f"Case {old} was changed by another session, or its file cannot be read any more. "
            f"It is left as it is; this one goes on as {self.name}."
        )

    def _case(self, session: Session, told: Consultation) -> Case:
        version = told.knowledge.version
        return Case(self.name, session, version, "", stated(told), 0, self._writer)

    def _base(self, session: Session) -> tuple[str, bool]:
        """Return a name made from the model, or the kind of work, and the date."""
        values = session.answers.values
        model, kind = values.get("workload.model"), values.get("workload.kind")
        words = case_name(str(model)) if isinstance(model, str) else ""
        date = self.store.now().date().isoformat()
        return f"{words or case_name(str(kind or 'case'))}-{date}", bool(words)


def _worth_keeping(session: Session) -> bool:
    return bool(session.turns or session.undone or session.skipped or session.start.origin)


def stated(told: Consultation) -> dict[str, Stated]:
    """Return the decisions in the form in which a case keeps them."""
    found: dict[str, Stated] = {}
    for name, decision in told.decisions.items():
        said = headline(decision.choice) if decision.choice else decision.status.replace("_", " ")
        plain = tuple(thawed(part) for part in core(decision, name))
        found[name] = Stated(decision.status, said, plain)
    return found
