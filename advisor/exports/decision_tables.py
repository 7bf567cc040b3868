"""The decision tables as pages: when, advice, because, and the sections that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.errors import Problem, UnknownNameError
from advisor.exports.html_page import html_page, markdown_html, navigation
from advisor.exports.stamp import stamp_text
from advisor.store.tables_rules import DECISIONS

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["TITLES", "chosen_decisions", "decision_tables_html", "decision_tables_markdown"]

_COLUMNS = "situation,advice,because,rule,sections"
_TITLE = "Decision tables"
TITLES: Mapping[str, str] = {
    "gpu": "Which GPU, and how many",
    "sharing": "How to share a GPU",
    "parallelism": "How to run on several GPUs",
    "provisioning": "How to provision nodes",
}


def chosen_decisions(names: Sequence[str]) -> tuple[str, ...]:
    """Return the decisions that are asked for, in the order of the tables; none names all.

    Raises:
        UnknownNameError: There is no such decision.
    """
    from advisor.store.loader_errors import nearest_names

    for name in names:
        if name not in DECISIONS:
            message = f"There is no decision {name!r}."
            near = nearest_names(name, DECISIONS)
            raise UnknownNameError(
                Problem("unknown_decision", message, key=name, allowed=DECISIONS, nearest=near)
            )
    return tuple(name for name in DECISIONS if name in names or not names)


def decision_tables_markdown(knowledge: Knowledge, decisions: Sequence[str] = ()) -> str:
    """Return the tables in Markdown, one heading for each decision.

    Raises:
        KnowledgeError: a rule is wrong; carries every problem with file and line.
        UnknownNameError: There is no such decision.
    """
    blocks = [f"# {_TITLE}\n\n{stamp_text(knowledge)}.\n"]
    for name, table in _tables(knowledge, decisions).items():
        blocks.append(f"## {TITLES[name]} {{#{name}}}\n\n{table}\n")
    return "\n".join(blocks)


def decision_tables_html(knowledge: Knowledge, decisions: Sequence[str] = ()) -> str:
    """Return the tables as one HTML file that needs nothing else.

    Raises:
        KnowledgeError: a rule is wrong; carries every problem with file and line.
        UnknownNameError: There is no such decision.
    """
    tables = _tables(knowledge, decisions)
    entries = [(TITLES[name], f"#{name}", ()) for name in tables]
    body = [f"<h1>{_TITLE}</h1>", navigation(entries, "Decisions")]
    for name, table in tables.items():
        text = f"## {TITLES[name]} {{#{name}}}\n\n{table}\n"
        body.append(markdown_html(text, _nowhere, _nowhere))
    return html_page(_TITLE, body, stamp_text(knowledge))


def _nowhere(name: str) -> None:
    """Sections are not part of this file: ``gpu-advisor cite`` shows them."""
    del name


def _tables(knowledge: Knowledge, decisions: Sequence[str]) -> dict[str, str]:
    from advisor.store.handbook_tables import table_markdown
    from advisor.store.tables import catalogue_tables

    provide = catalogue_tables(knowledge)
    return {
        name: table_markdown(provide("rules", {"columns": _COLUMNS, "decision": name}))
        for name in chosen_decisions(decisions)
    }
