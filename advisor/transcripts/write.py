"""A transcript as Markdown text; :mod:`advisor.transcripts.read` reads it back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from advisor.transcripts.markup import cited, typed
from advisor.transcripts.model import END, Asked, Block, Bullet, Item, Prose, Said, Told, Transcript

__all__ = ["ADVICE", "DETAILS", "FOLDED", "INTERVIEW", "NOTHING_LEFT", "SUMMARY", "written"]

INTERVIEW, ADVICE = "## Interview", "## Advice"
NOTHING_LEFT = "**Nothing is left to ask.**"
DETAILS = ("<details>", "</details>")
SUMMARY = "<summary>Settings, answers, rules in their order, what was not asked</summary>"
FOLDED = {
    "Settings": "yaml",
    "Answers, as a file": "yaml",
    "Rules, in the order in which they fired": "text",
    "Not asked": "",
}
"""Parts that are folded away, with the language of their fence."""
_PLAIN_TITLE = re.compile(r"[A-Za-z][^:#\"'\\]*")


def written(transcript: Transcript) -> str:
    """Return the file of a transcript, with a final newline."""
    lines = [*_head(transcript), "", *_items(transcript.items), ADVICE, ""]
    folded = [block for block in transcript.advice if block.title in FOLDED]
    for block in transcript.advice:
        if block.title not in FOLDED:
            lines += _block(block, "###")
    if folded:
        lines += [DETAILS[0], SUMMARY, ""]
        for block in folded:
            lines += _block(block, "####")
        lines.append(DETAILS[1])
    return "\n".join(lines).rstrip("\n") + "\n"


def _head(transcript: Transcript) -> Iterator[str]:
    title = transcript.title
    yield "---"
    plain = _PLAIN_TITLE.fullmatch(title)
    yield f"title: {title if plain else json.dumps(title, ensure_ascii=False)}"
    yield f"knowledge: {transcript.knowledge}"
    yield f"tags: [{', '.join(transcript.tags)}]"
    if transcript.ask is not None:
        yield f"ask: [{', '.join(transcript.ask)}]"
    yield from ("---", "", f"# {title}", "")
    if transcript.intro:
        yield from (transcript.intro, "")
    yield INTERVIEW


def _items(items: tuple[Item, ...]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Prose):
            yield from (item.text, "")
        elif isinstance(item, Asked):
            yield from (*_asked(item), "")
        else:
            yield from (*_said(item), "")


def _asked(item: Asked) -> Iterator[str]:
    if item.key == END:
        yield f"> {cited(f'{NOTHING_LEFT} {item.decides}', item.cites)}"
        return
    yield f"> {cited(f'**{item.text}** `{item.key}`', item.cites)}"
    if item.decides:
        yield f"> *Decides: {item.decides}.*"


def _said(item: Said) -> Iterator[str]:
    yield f"You: {typed(item.text)}"
    if item.reply:
        yield ""
        yield from _told(item.reply)


def _told(lines: tuple[Told, ...]) -> Iterator[str]:
    before: Told | None = None
    for line in lines:
        text = cited(line.text, line.cites)
        if before is not None and line.indent < 0:
            yield ">"  # two lines of their own would run into one paragraph
        yield f"> {text}" if line.indent < 0 else f"> {'  ' * line.indent}- {text}"
        before = line


def _block(block: Block, mark: str) -> Iterator[str]:
    if block.title:
        yield from (f"{mark} {block.title}", "")
    if block.text is not None:
        yield from (f"```{FOLDED.get(block.title, '')}", block.text, "```", "")
        return
    for bullet in block.bullets:
        yield from _bullet(bullet)
    yield ""


def _bullet(bullet: Bullet) -> Iterator[str]:
    rules = ", ".join(f"`{rule}`" for rule in bullet.rules)
    line = cited(bullet.text, bullet.cites)
    yield f"- {line} · {rules}" if rules else f"- {line}"
    yield from (f"  - {note}" for note in bullet.notes)
