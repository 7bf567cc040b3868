"""gpu-advisor: cited advice on GPUs for large-language-model workloads.

The names below are the library; they stay as they are, and what is not among them may change.
The root is cheap on purpose: nothing heavy is imported until a name is used.

>>> import advisor
>>> answers = advisor.read_answers({"workload.model": "llama-3.1-8b", "hardware.gpu": "l4"})
>>> advisor.advise(answers).decisions["gpu"].choice.gpu
'l4'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.answers.validate import override, read_answers, read_answers_text
    from advisor.consult.advise import advise
    from advisor.consult.consultation import Citation, Consultation, Decision
    from advisor.errors import (
        EngineError,
        GpuAdvisorError,
        InputError,
        KnowledgeError,
        Problem,
        UnknownNameError,
    )
    from advisor.explain.adviser import Adviser
    from advisor.explain.compare import compare
    from advisor.explain.explanation import Explanation, text_of
    from advisor.explain.how import how
    from advisor.explain.limits import limits
    from advisor.explain.whatif import whatif
    from advisor.explain.why import why
    from advisor.explain.whynot import whynot
    from advisor.exports.decision_tables import decision_tables_html, decision_tables_markdown
    from advisor.exports.diagram import decision_diagram
    from advisor.exports.handbook_pages import handbook_html, handbook_site
    from advisor.exports.rule_catalogue import rule_catalogue
    from advisor.interview.interview import Interview, Reply
    from advisor.interview.session import Session
    from advisor.interview.showing import view_of
    from advisor.interview.view import View
    from advisor.reports.advice_html import advice_html
    from advisor.reports.advice_markdown import advice_markdown
    from advisor.reports.advice_text import advice_text
    from advisor.store.handbook import Handbook, load_handbook
    from advisor.store.in_use import using
    from advisor.store.loader import Knowledge, load_knowledge
    from advisor.store.price_file import load_price_file

__all__ = [
    "Adviser",
    "Answers",
    "Citation",
    "Consultation",
    "Decision",
    "EngineError",
    "Explanation",
    "GpuAdvisorError",
    "Handbook",
    "InputError",
    "Interview",
    "Knowledge",
    "KnowledgeError",
    "Problem",
    "Reply",
    "Session",
    "UnknownNameError",
    "View",
    "__version__",
    "advice_html",
    "advice_markdown",
    "advice_text",
    "advise",
    "compare",
    "decision_diagram",
    "decision_tables_html",
    "decision_tables_markdown",
    "handbook_html",
    "handbook_site",
    "how",
    "limits",
    "load_handbook",
    "load_knowledge",
    "load_price_file",
    "override",
    "read_answers",
    "read_answers_text",
    "rule_catalogue",
    "text_of",
    "using",
    "view_of",
    "whatif",
    "why",
    "whynot",
]

__version__ = "0.1.0"

_HOMES = {
    "answers.model": ("Answers",),
    "answers.validate": ("override", "read_answers", "read_answers_text"),
    "consult.advise": ("advise",),
    "consult.consultation": ("Citation", "Consultation", "Decision"),
    "errors": (
        "EngineError", "GpuAdvisorError", "InputError", "KnowledgeError", "Problem",
        "UnknownNameError",
    ),
    "explain.adviser": ("Adviser",),
    "explain.compare": ("compare",),
    "explain.explanation": ("Explanation", "text_of"),
    "explain.how": ("how",),
    "explain.limits": ("limits",),
    "explain.whatif": ("whatif",),
    "explain.why": ("why",),
    "explain.whynot": ("whynot",),
    "exports.decision_tables": ("decision_tables_html", "decision_tables_markdown"),
    "exports.diagram": ("decision_diagram",),
    "exports.handbook_pages": ("handbook_html", "handbook_site"),
    "exports.rule_catalogue": ("rule_catalogue",),
    "interview.interview": ("Interview", "Reply"),
    "interview.session": ("Session",),
    "interview.showing": ("view_of",),
    "interview.view": ("View",),
    "reports.advice_html": ("advice_html",),
    "reports.advice_markdown": ("advice_markdown",),
    "reports.advice_text": ("advice_text",),
    "store.handbook": ("Handbook", "load_handbook"),
    "store.in_use": ("using",),
    "store.loader": ("Knowledge", "load_knowledge"),
    "store.price_file": ("load_price_file",),
}  # fmt: skip
"""Module to the names that it lends to the root; the block for type checkers says the same."""

if not TYPE_CHECKING:  # a type checker that saw this would take any name for known

    def __getattr__(name: str) -> object:
        """Import a name of ``__all__`` when it is first used, and keep it."""
        from importlib import import_module

        for module, names in _HOMES.items():
            if name in names:
                found = getattr(import_module(f"{__name__}.{module}"), name)
                globals()[name] = found
                return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
