"""Texts of ``tests/cases`` and ways in which logs spoil a text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from advisor.diagnose.diagnose import diagnose
from advisor.diagnose.diagnosis import DiagnosisReport
from advisor.store.loader import load_knowledge

_CASES = Path(__file__).parents[1] / "cases"


def groups() -> dict[str, list[dict[str, Any]]]:
    """Return the cases by group."""
    found: dict[str, list[dict[str, Any]]] = yaml.safe_load(
        (_CASES / "symptoms.yaml").read_text(encoding="utf-8")
    )
    return found


def cases(*names: str) -> list[dict[str, Any]]:
    every = groups()
    return [case for name in names or every for case in every[name]]


def unrelated() -> list[str]:
    path = _CASES / "unrelated_texts.yaml"
    found: list[str] = yaml.safe_load(path.read_text(encoding="utf-8"))["unrelated"]
    return found


def told(text: str) -> DiagnosisReport:
    return diagnose(text, load_knowledge())


def _before(prefix: str) -> Callable[[str], str]:
    return lambda text: "\n".join(prefix + line for line in text.splitlines())


def _cut_into(columns: int, prefix: str = "") -> Callable[[str], str]:
    """Cut as a terminal does: in the middle of words."""
    return lambda text: "\n".join(
        prefix + text[at : at + columns] for at in range(0, len(text), columns)
    )


SPOILED: Mapping[str, Callable[[str], str]] = {
    "upper case": str.upper,
    "lower case": str.lower,
    "wrapped between words": lambda text: "\n".join(textwrap.wrap(text, 40)),
    "wrapped and indented": lambda text: textwrap.indent(
        "\n".join(textwrap.wrap(text, 50)), " " * 15
    ),
    "cut by a terminal": _cut_into(37),
    "cut and with times": _cut_into(37, "2026-08-01T10:00:00.123456789Z "),
    "prefix of kubectl logs": _before("[pod/vllm-0/engine] "),
    "prefix of a rank": _before("[rank0]: "),
    "prefix of torchrun": _before("[default0]:[rank3]: "),
    "header of klog": _before("E0128 04:57:24.895246       1 factory.go:115] "),
    "syslog": _before("Aug  1 10:00:00 node-1 kernel: [ 123.456789] "),
    "header of vLLM": _before("(EngineCore_0 pid=1) ERROR 08-01 10:00:00 [core.py:396] "),
    "prefix of compose": _before("vllm-1  | "),
    "quoted in mail": _before("> "),
    "coloured": lambda text: "\x1b[31;1m" + text.replace(" ", " \x1b[0m", 1) + "\x1b[0m",
    "colours without escapes": lambda text: f"[0;31m{text}[0m",
    "inside JSON": lambda text: (
        '{"level":"error","msg":"at boot\\n' + text.replace('"', '\\"') + '\\nnext"}'
    ),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n") + "\r\n",
}
