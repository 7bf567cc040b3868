"""From a block to its Markdown: read the answers, consult, render; what is slow is done once."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.docs.block_markdown import block_markdown
from advisor.docs.citations import bad_links
from advisor.docs.spec import BlockSpec
from advisor.errors import InputError, Problem
from advisor.store.in_use import in_use, named_folders, using

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.consult.consultation import Consultation
    from advisor.explain.adviser import Adviser
    from advisor.store.loader import Knowledge

__all__ = ["Desk", "Written", "shared_desk"]


@dataclass(frozen=True, slots=True)
class Written:
    """The Markdown of one block."""

    markdown: str
    files: tuple[Path, ...]
    """What it was made from besides the page: a change there makes it stale."""


@dataclass(slots=True)
class Desk:
    """Answers blocks under one knowledge base.

    Answers files are read again for each block: a site generator that runs for days must not
    show what a file said in the morning. Consultations are remembered by the answers themselves.
    """

    adviser: Adviser
    _rendered: dict[object, str] = field(default_factory=dict)

    def write(self, spec: BlockSpec, folder: Path) -> Written:
        """Return the advice that a block asks for.

        Args:
            spec: The block.
            folder: The folder of its page, from where its answers file is named.

        Raises:
            InputError: answers that cannot be used (at their file and line), or a block that
                asks for what they do not give (at its own).
        """
        if bad_links(spec.options.links):
            message = f"links={spec.options.links!r} cannot stand in a Markdown link."
            raise InputError(spec.place.problem("bad_option", message))
        with using(self.adviser.knowledge):
            return self._written(spec, folder)

    def _written(self, spec: BlockSpec, folder: Path) -> Written:
        answers, files = self._answers(spec, folder)
        # the values tell consultations apart, and nothing else of them is shown
        values = repr(answers.values)
        if "model_config" in values:  # may name a file, whose content is no part of them
            return Written(self._markdown(answers, spec, remembered=False), files)
        key = (values, answers.unknown, spec.options)
        if key not in self._rendered:
            self._rendered[key] = self._markdown(answers, spec)
        return Written(self._rendered[key], files)

    def _answers(self, spec: BlockSpec, folder: Path) -> tuple[Answers, tuple[Path, ...]]:
        from advisor.answers.validate import read_answers, read_answers_text

        page = spec.place.page
        if not spec.answers_file:
            text = read_answers_text(spec.answers_text, name=page, first_line=spec.answers_line)
            return text, ()
        path = _found(spec, folder)
        try:
            return read_answers(path, name=_name(path)), (path,)
        except InputError as error:
            raise _told(error, spec) from error

    def _markdown(self, answers: Answers, spec: BlockSpec, *, remembered: bool = True) -> str:
        place = spec.place
        try:
            consultation = self._consult(answers, remembered=remembered)
        except InputError as error:
            raise _told(error, spec) from error
        try:
            return block_markdown(consultation, spec.options)
        except InputError as error:
            raise InputError(
                [replace(p, file=place.page, line=place.line) for p in error.problems]
            ) from error

    def _consult(self, answers: Answers, *, remembered: bool) -> Consultation:
        from advisor.consult.advise import advise

        adviser = self.adviser
        if remembered:
            # errors it remembers by the values of answers, which may stand elsewhere too: what
            # follows finds them again, at the lines of these
            with contextlib.suppress(InputError):
                return adviser.consult(answers)
        return advise(answers, adviser.knowledge, engine=adviser.engine, prices=adviser.prices)


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


def _found(spec: BlockSpec, folder: Path) -> Path:
    """Return the answers file of a block.

    Raises:
        InputError: There is none.
    """
    path = folder / spec.answers_file
    if not path.is_file():
        message = f"The answers file {_name(path)} does not exist."
        raise InputError(spec.place.problem("no_answers_file", message))
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
