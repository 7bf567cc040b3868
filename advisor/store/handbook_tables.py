"""Tables in the handbook that come from a catalogue instead of being typed.

A directive is an HTML comment on a line of its own, so that a plain Markdown viewer shows
nothing odd::

    <!-- table: gpus columns=id,memory_gb,memory_bandwidth_gbs vendor=nvidia status=shipping -->

The first word is the table; then ``key=value`` pairs, quoted like shell words where a value
holds a space; the comment may run over several lines. By convention ``columns`` lists dotted
fields of the record (``tflops.bf16``) or figures that the provider derives, and every other
key keeps the records whose field has one of the comma-separated values; but that is the
provider's business. This module parses and expands; it knows no catalogue.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from advisor.errors import KnowledgeError, Problem, UnknownNameError
from advisor.store.handbook_parse import Section, markdown_tokens

__all__ = [
    "TABLE_NAMES",
    "Directive",
    "Table",
    "TableProvider",
    "expand_tables",
    "read_directives",
    "table_markdown",
    "table_of",
]

TABLE_NAMES = (
    "alerts", "allreduce", "capacity_kinds", "capacity_offers", "component_versions", "components",
    "dra_gates", "engines", "floors", "formats", "gotchas", "gpus", "interconnects",
    "kubernetes_bugs", "kubernetes_releases", "metrics", "mig_profiles", "mig_sizes", "models",
    "node_images", "platforms", "provisioners", "rdma_exposures", "rules", "sharing_modes",
    "versions_to_avoid", "xids",
)  # fmt: skip
"""Tables that a handbook page may ask for."""

_DIRECTIVE = re.compile(r"<!--\s*table:\s*(?P<rest>.*?)\s*-->", re.DOTALL)
_LOOKS_LIKE_ONE = re.compile(r"<!--\s*tables?\b", re.IGNORECASE)
_OPTION = re.compile(r"(?P<key>[a-z][a-z0-9_.]*)=(?P<value>.*)", re.DOTALL)
_SPECIAL = re.compile(r"[\\`*<|]")
_RULE = {"left": ":---", "right": "---:"}


@dataclass(frozen=True, slots=True)
class Table:
    """A finished table: what a provider returns and the renderers print."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: tuple[Literal["left", "right"], ...] = ()
    """One per column; empty means all left."""
    caption: str = ""
    """Where the figures come from and their date; printed under the table."""


class TableProvider(Protocol):
    """Builds a table of a catalogue.

    Raises:
        UnknownNameError: The table, a column or an option value is not known. The handbook
            adds the file and line of the directive.
    """

    def __call__(self, name: str, options: Mapping[str, str], /) -> Table:
        """Return the table called ``name``, cut and ordered as ``options`` say."""
        ...


@dataclass(frozen=True, slots=True)
class Directive:
    """A request for a table at one place of a page."""

    name: str
    options: Mapping[str, str]
    first_line: int
    """0-based line inside the section's text."""
    end_line: int
    """0-based first line after the directive."""


def read_directives(section: Section) -> tuple[list[Directive], list[Problem]]:
    """Return the directives of a section in reading order, and those that do not parse."""
    found: list[Directive] = []
    problems: list[Problem] = []
    for content, start, end, alone in _comments(section.text_markdown):
        result = _read(content, start, end) if alone else "it must stand on a line of its own"
        if isinstance(result, Directive):
            found.append(result)
            continue
        message = f"This table directive cannot be read: {result}."
        line = section.body_line + start
        problems.append(Problem("bad_directive", message, file=section.file, line=line))
    return found, problems


def expand_tables(section: Section, tables: TableProvider) -> str:
    """Return the section's text with every directive replaced by its table.

    Raises:
        KnowledgeError: A directive does not parse or asks for something unknown; the
            problem names the file and line of the page.
    """
    directives, problems = read_directives(section)
    if problems:
        raise KnowledgeError(problems)
    lines = section.text_markdown.splitlines()
    for directive in reversed(directives):
        table = table_of(section, directive, tables)
        lines[directive.first_line : directive.end_line] = [*table_markdown(table).splitlines(), ""]
    return "\n".join(lines).rstrip()


def table_markdown(table: Table) -> str:
    """Print a table in Markdown; cells are plain text and come out as they are."""
    align = table.align or ("left",) * len(table.headers)
    rules = [_RULE[side] for side in align]
    rows = [_row(table.headers), _row(rules), *(_row(row) for row in table.rows)]
    return "\n".join([*rows, "", f"*{table.caption}*"] if table.caption else rows)


def table_of(section: Section, directive: Directive, tables: TableProvider) -> Table:
    """Return the table that a directive of ``section`` asks for.

    Raises:
        KnowledgeError: Something in it is unknown; the problem names file and line of the page.
    """
    try:
        return tables(directive.name, directive.options)
    except UnknownNameError as error:
        line = section.body_line + directive.first_line
        problems = [
            Problem(
                problem.code,
                f"Table {directive.name}: {problem.message}",
                file=section.file,
                line=line,
                key=problem.key,
                allowed=problem.allowed,
                nearest=problem.nearest,
            )
            for problem in error.problems
        ]
        raise KnowledgeError(problems) from error


def _comments(text: str) -> Iterator[tuple[str, int, int, bool]]:
    """Yield comment text, first line, end line, and whether it is a block of its own."""
    for token in markdown_tokens(text):
        start, end = token.map or (0, 0)
        if token.type == "html_block" and _LOOKS_LIKE_ONE.search(token.content):
            yield token.content.strip(), start, end, token.level == 0
        for child in token.children or ():
            if child.type == "html_inline" and _LOOKS_LIKE_ONE.search(child.content):
                yield child.content, start, end, False


def _read(content: str, start: int, end: int) -> Directive | str:
    """Return the directive, or in words what is wrong with it."""
    match = _DIRECTIVE.fullmatch(content)
    if match is None:
        return "write <!-- table: NAME key=value ... --> and nothing else on the line"
    try:
        words = shlex.split(match["rest"])
    except ValueError as error:
        return f"unbalanced quotes ({error})"
    if not words or "=" in words[0]:
        return "the first word is the name of the table"
    options: dict[str, str] = {}
    for word in words[1:]:
        option = _OPTION.fullmatch(word)
        if option is None:
            return f"{word!r} is not key=value"
        if option["key"] in options:
            return f"{option['key']!r} is given twice"
        options[option["key"]] = option["value"]
    return Directive(words[0], options, start, end)


def _row(cells: Sequence[str]) -> str:
    safe = (_SPECIAL.sub(r"\\\g<0>", " ".join(cell.split())) for cell in cells)
    return f"| {' | '.join(safe)} |"
