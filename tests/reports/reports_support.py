"""The consultations that the report tests share, and a strict reader of HTML."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

from advisor.consult.consultation import Consultation

GOLDEN = Path(__file__).parent / "golden"
NAMES = ("serving", "platform", "hostile")
VOID = frozenset({"meta", "br", "hr"})
NASTY = (
    "<script>|`x`](http://e)",
    "<script>alert(1)</script>",
    "a|b\\|c\\",
    "`code` ``more`` ```",
    "[x](http://e) ![i](http://e/i.png) <http://e> http://e.example/?a=b www.e.example",
    "**b** _i_ __b__ ~~s~~ $m$ * *",
    "# heading",
    "- item",
    "1. item",
    "1) item",
    "> quote",
    "===",
    "---",
    "line\nbreak\r\nand\u2028more\x85end",
    "&lt;b&gt; &amp; &#60; &copy",
    "\" onclick=\"x' onload='y",
    "--> ]]> </style></title></td>",
    "\x1b[31mred\x1b]0;title\x07",
    "\u202edesrever\u2066",
    "\ud800",
    "[x]: http://e",
    "| - | - |",
    ":smile: mailto:a@b.c",
)


def consultation(name: str) -> Consultation:
    """Return a hand-built consultation from its native file."""
    return Consultation.model_validate(json.loads((GOLDEN / f"{name}.json").read_text("utf-8")))


def with_text(text: str) -> Consultation:
    """Return the serving consultation with ``text`` wherever a user's words may come out."""
    data = json.loads((GOLDEN / "serving.json").read_text("utf-8"))
    decision = data["decisions"]["gpu"]
    decision["because"] = text
    decision["choice"] |= {"gpu": text, "instance_type": text}
    decision["rejected"][0] |= {"gpu": text, "because": text}
    decision["alternatives"][0] |= {"because": text, "would_be_chosen_if": text}
    data["answers"][0] |= {"value": text, "understood": text}
    data["assumptions"][0] |= {"key": text, "value": text}
    data["warnings"][0] |= dict.fromkeys(("text", "symptom", "cause", "check", "fix"), text)
    data["diagnoses"] = [{"input": text, "causes": [], "nearest": [text]}]
    data["sizing"] |= {"model": text, "arithmetic": [text]}
    return Consultation.model_validate(data)


class Page(HTMLParser):
    """Reads a page, keeps what it holds, and collects every fault of its structure."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        self.faults += [f"<{tag}> is never closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if len(dict(attrs)) != len(attrs):
            self.faults.append(f"<{tag}> repeats an attribute")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"a comment: {data}")

    @property
    def text(self) -> str:
        """Everything that is shown, on one line."""
        return " ".join(" ".join(self.texts).split())
