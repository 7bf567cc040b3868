"""The command line's ``--set key=value`` as a key and a node."""

from __future__ import annotations

from advisor.answers.nodes import Node, Scalar, shown
from advisor.errors import InputError, Problem

__all__ = ["SET", "override_node", "split_override"]

SET = "--set"
"""The name of the command line's overrides in origins and problems."""


def split_override(text: str) -> tuple[str, str]:
    """Return key and value text of one ``key=value``.

    Raises:
        InputError: when there is no ``=`` or no key.
    """
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        message = f"{shown(text)} is not key=value, such as workload.context_tokens=32k."
        raise InputError(Problem("bad_set", message, file=SET))
    return key.strip(), value.strip()


def override_node(text: str) -> tuple[str, Node]:
    """Return key and node of one ``key=value``.

    Only lists, mappings and quoted text are read as YAML: an error message with a colon, or a
    version with a trailing zero, must arrive as it was typed.

    Raises:
        InputError: when it is not ``key=value``, or the YAML is wrong.
    """
    key, value = split_override(text)
    if value[:1] in {"[", "{", '"', "'"}:
        from advisor.answers.yaml_text import parse_yaml

        node = parse_yaml(value, SET)
        if node is not None:
            return key, node
    return key, Scalar(value)
