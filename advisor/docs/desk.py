"""From a block to its Markdown: read the answers, consult, render; what is slow is done once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.docs.block_markdown import block_markdown
from advisor.docs.citations import bad_links
from advisor.docs.outside import without_content
from advisor.docs.spec import BlockSpec
from advisor.errors import InputError, Problem
from advisor.store.in_use import in_use, named_folders, using

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.consult.consultation import Consultation
    from advisor.explain.adviser import Adviser
    from advisor.store.loader import Knowledge
    from advisor.store.price_file import PriceFile
    from advisor.store.prices import Price

__all__ = ["Desk", "Order", "Written", "shared_desk"]


@dataclass(frozen=True, slots=True)
class Written:
    """The Markdown of one block."""

    markdown: str
    files: tuple[Path, ...]
    """What it was made from besides the page: a change there makes it stale."""


@dataclass(frozen=True, slots=True)
class Order:
    """A block whose files have been read: what is left to do is advising and writing."""

    spec: BlockSpec
    answers: Answers
    prices: tuple[Price, ...]
    files: tuple[Path, ...]

    @property
    def consultation(self) -> Hashable | None:
        """What two orders have in common that one consultation serves; None: nobody knows.

        The values of answers tell consultations apart, and nothing else of them is shown.
        """
        values = repr(self.answers.values)
        if "model_config" in values:  # may name a file, whose content is no part of them
            return None
        return values, self.answers.unknown, self.prices


@dataclass(slots=True)
class Desk:
    """Answers blocks under one knowledge base.

    Files are read again for each block: a site generator that runs for days must not show what
    a file said in the morning. Consultations are remembered by the answers and prices themselves.
    """

    adviser: Adviser
    notes: dict[str, None] = field(default_factory=dict)
    """What has to be said about price files, each once."""
    _advisers: dict[tuple[Price, ...], Adviser] = field(default_factory=dict)
    _prices: dict[object, PriceFile] = field(default_factory=dict)
    _rendered: dict[Hashable, str] = field(default_factory=dict)

    def write(self, spec: BlockSpec, folder: Path) -> Written:
        """Return the advice that a block asks for.

        Args:
            spec: The block.
            folder: The folder of its page, from where its files are named.

        Raises:
            InputError: answers or prices that cannot be used (at their file and line), or a block
                that asks for what they do not give (at its own).
        """
        order = self.order(spec, folder)
        return Written(self.markdown(order), order.files)

    def order(self, spec: BlockSpec, folder: Path) -> Order:
        """Read what a block names; the arguments and errors of :meth:`write`."""
        if bad_links(spec.options.links):
            message = f"links={spec.options.links!r} cannot stand in a Markdown link."
            raise InputError(spec.place.problem("bad_option", message))
        with using(self.adviser.knowledge):
            answers, files = self._answers(spec, folder)
            if not spec.prices_file:
                return Order(spec, answers, (), files)
            path = _found(spec, folder, spec.prices_file, "price")
            try:
                prices = self._own_prices(spec, path)
            except InputError as error:
                raise _told(without_content(error, path, folder), spec) from error
            return Order(spec, answers, prices, (*files, path))

    def markdown(self, order: Order) -> str:
        """Return the advice of an order; the errors of :meth:`write`."""
        common = order.consultation
        with using(self.adviser.knowledge):
            if common is None:
                return self._markdown(order, remembered=False)
            key = (common, order.spec.options)
            if key not in self._rendered:
                self._rendered[key] = self._markdown(order)
            return self._rendered[key]

    def keep(self, order: Order, markdown: str) -> None:
        """Remember what another desk on the same knowledge made of an order."""
        self._rendered[order.consultation, order.spec.options] = markdown

    def has(self, order: Order) -> bool:
        """Tell whether an order costs nothing any more."""
        return (order.consultation, order.spec.options) in self._rendered

    def _answers(self, spec: BlockSpec, folder: Path) -> tuple[Answers, tuple[Path, ...]]:
        from advisor.answers.validate import read_answers, read_answers_text

        page = spec.place.page
        if not spec.answers_file:
            text = read_answers_text(spec.answers_text, name=page, first_line=spec.answers_line)
            return text, ()
        path = _found(spec, folder, spec.answers_file, "answers")
        try:
            return read_answers(path, name=_name(path)), (path,)
        except InputError as error:
            raise _told(without_content(error, path, folder), spec) from error

    def _own_prices(self, spec: BlockSpec, path: Path) -> tuple[Price, ...]:
        from advisor.store.price_file import load_price_file

        try:
            key = (path, path.read_bytes())
            if key not in self._prices:
                knowledge = self.adviser.knowledge
                self._prices[key] = load_price_file(_name(path), knowledge=knowledge)
        except OSError as error:
            message = f"The price file {_name(path)} cannot be read: {error.strerror}."
            raise InputError(spec.place.problem("unreadable", message)) from error
        self.notes.update(dict.fromkeys(self._prices[key].notes))
        return self._prices[key].prices

    def _markdown(self, order: Order, *, remembered: bool = True) -> str:
        place = order.spec.place
        try:
            consultation = self._consult(order, remembered=remembered)
        except InputError as error:
            raise _told(error, order.spec) from error
        try:
            return block_markdown(consultation, order.spec.options)
        except InputError as error:
            raise InputError(
                [replace(p, file=place.page, line=place.line) for p in error.problems]
            ) from error

    def _consult(self, order: Order, *, remembered: bool) -> Consultation:
        from advisor.consult.advise import advise
        from advisor.consult.unused_prices import with_unused_prices

        adviser, answers = self._adviser(order.prices), order.answers
        told = None
        if remembered:
            # errors it remembers by the values of answers, which may stand elsewhere too: what
            # follows finds them again, at the lines of these
            with contextlib.suppress(InputError):
                told = adviser.consult(answers)
        if told is None:
            engine, knowledge = adviser.engine, adviser.knowledge
            told = advise(answers, knowledge, engine=engine, prices=order.prices)
        return with_unused_prices(told, answers, adviser.knowledge, order.prices)

    def _adviser(self, prices: tuple[Price, ...]) -> Adviser:
        from advisor.explain.adviser import Adviser

        if not prices:
            return self.adviser
        if prices not in self._advisers:
            knowledge, engine = self.adviser.knowledge, self.adviser.engine
            self._advisers[prices] = Adviser(knowledge, engine=engine, prices=prices)
        return self._advisers[prices]


def shared_desk() -> Desk:
    """Return the desk of this process on the knowledge in use.

    Where no command has said which, ``GPU_ADVISOR_KNOWLEDGE`` counts, so that site generators
    show what the commands show.

    Raises:
        InputError: a folder of it does not exist.
        KnowledgeError: a folder of it cannot be used.
    """
    return _desk_of(in_use() or _from_environment(named_folders(os.environ)))


@cache
def _from_environment(folders: tuple[str, ...]) -> Knowledge:
    from advisor.store.loader import load_knowledge

    return load_knowledge(overlays=folders)


@cache
def _desk_of(knowledge: Knowledge) -> Desk:
    from advisor.engine import engine_from_environment
    from advisor.explain.adviser import Adviser

    return Desk(Adviser(knowledge, engine=engine_from_environment()))


def _found(spec: BlockSpec, folder: Path, file: str, kind: str) -> Path:
    """Return a file that a block names.

    Raises:
        InputError: There is none.
    """
    path = folder / file
    if not path.is_file():
        message = f"The {kind} file {_name(path)} does not exist."
        raise InputError(spec.place.problem(f"no_{kind}_file", message))
    return path


def _name(path: Path) -> str:
    """Return how messages call a file: from here, where that is shorter to read."""
    shown = os.path.normpath(path)
    relative = os.path.relpath(shown)
    return shown if relative.startswith(os.pardir) else relative


def _told(error: InputError, spec: BlockSpec) -> InputError:
    """Say which block wanted the answers that are wrong."""
    place = spec.place

    def placed(problem: Problem) -> Problem:
        if problem.file is None:
            return replace(problem, file=place.page, line=place.line)
        if problem.file == place.page:
            return problem
        text = f"{problem.message} (for the block at {place.page}:{place.line})"
        return replace(problem, message=text)

    return type(error)([placed(problem) for problem in error.problems])
