"""How long a request usually is: as stated, else from the lengths of prompt and answer."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import Document, choice, serving, told

KEY = "workload.typical_context_tokens"
LONG = {"context_tokens": 32768, "concurrency": 300}


def asked(**answers: Any) -> Document:
    return serving("qwen3-32b", "a100-80-sxm", **(LONG | answers))


def assumed(document: Document, key: str = KEY) -> Any:
    return next((note for note in told(document).assumptions if note.key == key), None)


def gpus(document: Document) -> int:
    return int(choice(told(document))["total_gpus"])


def ids(document: Document) -> set[str]:
    return {warned.id for warned in told(document).warnings}


def test_prompt_and_answer_count_and_not_the_longest_request() -> None:
    lengths = asked(prompt_tokens=4096, output_tokens=500)

    assert assumed(lengths).value == 4596
    assert gpus(lengths) == gpus(asked(typical_context_tokens=4596))
    assert gpus(lengths) < gpus(asked()) / 3


def test_the_longest_request_still_fits_the_engine() -> None:
    sizing = told(asked(prompt_tokens=4096, output_tokens=500)).sizing

    assert sizing is not None
    assert sizing.max_model_len == 32768
    assert sizing.fits


def test_what_was_worked_out_is_said_with_the_caveat_of_chats() -> None:
    lengths = asked(prompt_tokens=4096, output_tokens=500)

    assert "turn" in assumed(lengths).why
    assert assumed(lengths).section == "7.3"
    assert "warn-typical-from-lengths" in ids(lengths)
    assert "4,596 tokens, the typical length" in told(lengths).decisions["gpu"].because


def test_a_stated_usual_length_goes_first() -> None:
    stated = asked(prompt_tokens=4096, output_tokens=500, typical_context_tokens=16384)

    assert assumed(stated) is None
    assert "warn-typical-from-lengths" not in ids(stated)
    assert gpus(stated) == gpus(asked(typical_context_tokens=16384))


@pytest.mark.parametrize("lengths", [{"prompt_tokens": 4096}, {"output_tokens": 500}])
def test_one_length_alone_says_nothing_of_the_usual_request(lengths: Document) -> None:
    assert assumed(asked(**lengths)) is None
    assert gpus(asked(**lengths)) == gpus(asked())


def test_without_a_longest_request_the_lengths_are_it() -> None:
    document = serving("qwen3-32b", "a100-80-sxm", prompt_tokens=4096, output_tokens=500)
    found = told(document)

    assert found.sizing is not None
    assert found.sizing.max_model_len == 4596
    assert assumed(document) is None


def test_lengths_beyond_the_longest_request_are_told_first_and_never_sized() -> None:
    document = asked(prompt_tokens=40000, output_tokens=500)
    found = told(document)

    assert found.warnings[0].id == "warn-prompt-longer-than-request"
    assert found.decisions["gpu"].because.startswith("The prompt of 40,000 tokens is longer")
    assert gpus(document) == gpus(asked())


def test_pictures_are_no_part_of_the_prompt_so_the_longest_request_counts() -> None:
    plain = serving("qwen2.5-vl-72b", "h100-sxm", prompt_tokens=2000, output_tokens=300, **LONG)
    seen = serving(
        "qwen2.5-vl-72b", "h100-sxm", prompt_tokens=2000, output_tokens=300, images_per_prompt=4,
        **LONG,
    )  # fmt: skip

    assert assumed(plain).value == 2300
    assert assumed(seen) is None


def test_a_prompt_is_there_while_its_answer_is_decoded() -> None:
    short, long = (
        told(serving("llama-3.1-8b", "l40s", context_tokens=32768, prompt_tokens=tokens))
        for tokens in (1000, 30000)
    )
    fast, slow = (c.sizing.decode_tokens_per_second for c in (short, long) if c.sizing)

    assert fast is not None
    assert slow is not None
    assert (slow.high or 0) < (fast.high or 0)
