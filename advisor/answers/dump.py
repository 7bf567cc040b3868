"""Answers as a YAML file that reads back to the same answers."""

from __future__ import annotations

import re

import yaml

from advisor.answers.model import Answers

__all__ = ["dump_answers"]

_LOOKS_TYPED = re.compile(
    r"|~|null|true|false|[+-]?[0-9]+|[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?",
    re.IGNORECASE,
)
"""Texts that the reader would take for a number or a word of JSON if they stood without quotes."""


class _Dumper(yaml.CSafeDumper):
    """Quotes what our reader, rather than YAML 1.1, would read as something else."""


def _text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    style = "'" if _LOOKS_TYPED.fullmatch(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def dump_answers(answers: Answers) -> str:
    """Return ``answers`` as YAML, in the vocabulary's order, units normalised.

    ``read_answers`` of the result is equal to ``answers``; where each came from is not kept.
    """
    nested = answers.as_dict()
    if not nested:
        return ""
    text: str = yaml.dump(nested, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    return text
