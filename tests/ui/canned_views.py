"""Views made by hand: one per state of the screen, so that advice may change and they do not."""

from __future__ import annotations

from dataclasses import replace

from advisor.interview.view import (
    CardView,
    ConclusionView,
    EntryView,
    EvidenceView,
    LineView,
    OptionView,
    TurnView,
    View,
)

DECIDES = ("GPU", "Parallelism")
MARKDOWN = """## 7.1 The hardware constraint

Each layer is **split** over the GPUs, which exchange results twice per layer (§2.4).
Keep the group inside one node.

- NVLink: up to the GPUs of the node.
- PCIe only: see §7.2 first.
  - a nested point with `--tensor-parallel-size 2`

1. First this.
2. Then that.

| link | GB/s | remark |
| :--- | ---: | :--- |
| NVLink 4 | 900 | both directions |
| PCIe 5 x16 | 128 | shared with the network card on many boards |

```sh
nvidia-smi topo -m
```
"""


def options(*labels: str) -> tuple[OptionView, ...]:
    return tuple(
        OptionView(n, label.split()[0].casefold(), label) for n, label in enumerate(labels, 1)
    )


CARD = CardView(
    key="hardware.link",
    text="Which link joins the GPUs inside one node?",
    help="The link decides how far one model may be split.",
    options=options("NVLink or NVSwitch", "PCIe only", "Not bought yet: advise me"),
    several=False,
    hint="a number, or the words",
    usual="PCIe only: most cards have nothing else.",
    find_out="nvidia-smi topo -m",
    decides=DECIDES,
    section="7.1",
    topic="GPUs that are there",
    number=3,
)
TURNS = (
    TurnView(
        1, "workload.model", "Which model will you serve?", "2.1", "llama 70b",
        "Llama 3.3 70B", (LineView("GPU: 2 x H100 in fp8", ("8.1", "7.3"), "="),),
    ),
    TurnView(
        2, "workload.concurrency", "How many requests run at once, at the peak?", "7.3",
        "I don't know", "",
        (
            LineView("Not known; taken for now: 16.", ("7.3",), "~"),
            LineView("Containers have 64 MB of shared memory.", ("7.2",), "!"),
        ),
    ),
)  # fmt: skip
SO_FAR = (
    ConclusionView("gpu", "GPU", "provisional", "2 x H100, fp8", ("8.1", "7.3"), True,
                   "acquisition and 12 more"),
    ConclusionView("sharing", "Sharing", "firm", "whole GPUs", ("8.2",), False, ""),
    ConclusionView("parallelism", "Parallelism", "open", "", ("8.3",), False, "nvlink"),
    ConclusionView("provisioning", "Provisioning", "not applicable", "", (), False, ""),
)  # fmt: skip
EVIDENCE = EvidenceView("7.1", "The hardware constraint", MARKDOWN, DECIDES)
MID = View(
    edition="2026.11.0",
    as_of="2026-11-29",
    case="chat-70b",
    saved="saved",
    answered=2,
    left=(2, 5),
    log=TURNS,
    card=CARD,
    closing=(),
    so_far=SO_FAR,
    evidence=EVIDENCE,
    hints=("/help commands",),
)
FIRST = replace(
    MID,
    answered=0,
    log=(),
    case="",
    so_far=tuple(replace(one, state="open", text="", fresh=False) for one in SO_FAR),
    card=replace(CARD, number=1),
)
OPENING = replace(FIRST, so_far=(), evidence=None, asking=True)
ASKING = replace(MID, card=None, asking=True)
DONE = replace(
    MID,
    card=None,
    left=(0, 0),
    closing=(
        LineView("Nothing else that is asked would change the advice.", ("8",), "="),
        LineView("/so-far tells it, /export takes it along."),
    ),
)
NUMBER = replace(
    MID,
    card=replace(
        CARD, key="workload.context_tokens", text="How long is the longest request, in tokens?",
        options=(), hint="tokens: 8192, 8k, 128k", usual="",
    ),
)  # fmt: skip
YES_NO = replace(MID, card=replace(CARD, text="Do tenants trust each other?", usual="",
                                   options=options("Yes", "No"), find_out=""))  # fmt: skip
SEVERAL = replace(MID, card=replace(CARD, text="Which vendors may it be?", several=True,
                                    options=options("NVIDIA", "AMD", "Intel")))  # fmt: skip
MANY = replace(
    MID, card=replace(CARD, options=options(*(f"Provider{n} of clouds" for n in range(1, 15))))
)
LONG_OPTION = replace(
    MID, card=replace(CARD, options=options("Short", "A very long option " + "with words " * 20))
)
PENDING = replace(
    MID,
    log=(
        *TURNS,
        EntryView("100", "“100” can mean:", (LineView("1  100 users"), LineView("2  100 requests"),
                                             LineView("0  none of these"))),
    ),
    card=replace(
        CARD, key="", text="“100” can mean:", help="", section="", usual="", find_out="",
        options=options("100 users", "100 requests"), pending=True, decides=(), topic="",
        none="none of these",
    ),
)  # fmt: skip
SAID = EntryView(
    "/why",
    "Why this is asked",
    (
        LineView("Tensor parallel trades data in every layer.", ("7.1",)),
        LineView("over PCIe a pipeline split is advised instead", ("7.2",), indent=1),
    ),
    more=3,
)
WHY = replace(MID, log=(*TURNS, SAID))
NOT_SAVED = replace(MID, saved="not saved: No space left on device", case="a-case-" + 3 * "long-")
NO_CITATIONS = replace(
    MID, so_far=tuple(replace(one, sections=()) for one in SO_FAR), evidence=None
)
VOLUNTEERED = replace(
    MID,
    log=(TurnView(1, "a, b", "", "7.3", "qwen3 32b at 32k for 20 users on EKS", "32,768 tokens",
                  (LineView("Noted; the advice stays as it is.", ("8",), "="),)),),
)  # fmt: skip
WIDE_CHARACTERS = replace(
    MID,
    log=(
        TurnView(1, "m", "どのモデルを使いますか。", "2.1", "通義千問 🚀 3 e\u0301té", "Qwen3 32B",
                 (LineView("模型的权重是三十二吉字节。每个请求的缓存是八。" * 3, ("7.3",), "="),)),
    ),
    card=replace(CARD, options=options("英伟达 的 卡", "エヌビディア 🟢 カード", "कार्ड")),
)  # fmt: skip
LONG_WORD = replace(MID, log=(replace(TURNS[0], said="x" * 300, understood=""), *TURNS[1:]))
LONG_LOG = replace(
    MID,
    answered=75,
    log=tuple(replace(TURNS[0], number=n, said=f"answer {n}") for n in range(1, 76)),
)
MARKUP = replace(
    MID,
    log=(replace(TURNS[0], said="[bold]not markup[/] [@click=app.quit]x[/]", understood="[red]"),),
    case="[b]case[/b]",
)

STATES = {
    "opening": OPENING,
    "first": FIRST,
    "middle": MID,
    "asking": ASKING,
    "done": DONE,
    "number": NUMBER,
    "yes-no": YES_NO,
    "several": SEVERAL,
    "many-options": MANY,
    "long-option": LONG_OPTION,
    "choose": PENDING,
    "why": WHY,
    "not-saved": NOT_SAVED,
    "no-citations": NO_CITATIONS,
    "volunteered": VOLUNTEERED,
    "wide-characters": WIDE_CHARACTERS,
    "long-word": LONG_WORD,
    "long-log": LONG_LOG,
    "markup": MARKUP,
}
"""Every state of the screen that a view alone makes."""
