"""What people paste or say leads to the right cause, however a log has spoiled it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from diagnose_support import SPOILED, cases, groups, told

from advisor.answers.validate import read_answers
from advisor.diagnose.diagnose import diagnose, diagnose_lines
from advisor.store.gotcha import Symptom
from advisor.store.loader import load_knowledge

SYMPTOMS = list(load_knowledge().symptoms.values())
PLAIN = [case for case in cases() if "answers" not in case]


def _name(value: object) -> str:
    return str(value["text"])[:60] if isinstance(value, dict) else str(value)


@pytest.mark.parametrize("case", cases(), ids=_name)
def test_the_right_cause_of_the_right_symptom_comes_first(case: dict[str, Any]) -> None:
    answers = read_answers(case["answers"]) if "answers" in case else None

    report = diagnose(case["text"], load_knowledge(), answers)

    assert not report.unknown
    assert (report.matches[0].id, report.matches[0].causes[0].id) == (
        case["symptom"],
        case["cause"],
    )


def test_there_are_enough_texts() -> None:
    assert set(groups()) == {"questions", "described", "pasted", "with_facts"}
    assert len(cases("questions")) >= 48
    assert len(cases("pasted")) >= 70


def test_every_cause_that_a_case_names_exists() -> None:
    for case in cases():
        symptom = load_knowledge().symptoms[case["symptom"]]
        assert case["cause"] in {cause.id for cause in symptom.causes}, case


@pytest.mark.parametrize("how", SPOILED)
@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda s: s.id)
def test_no_log_hides_a_text(symptom: Symptom, how: str) -> None:
    report = told(SPOILED[how](symptom.example))

    assert [match.id for match in report.matches][:1] == [symptom.id]


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda s: s.id)
def test_every_fragment_alone_is_recognised(symptom: Symptom) -> None:
    for fragment in symptom.fragments:
        assert symptom.id in {match.id for match in told(fragment).matches}, fragment


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda s: s.id)
def test_what_people_say_is_recognised(symptom: Symptom) -> None:
    for sentence in symptom.said:
        assert symptom.id in {match.id for match in told(sentence).matches}, sentence


def test_a_text_that_is_cut_at_its_end_is_recognised() -> None:
    text = "Error while creating shared memory segment /dev/shm/nccl-AbCd"

    for cut in (0, 10, 18):
        whole, part = told(text[: len(text) - cut]), told(text[: len(text) - cut] + "...")
        assert {report.matches[0].id for report in (whole, part)} == {"shm-too-small"}


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("CUDA error: the provided PTX was compiled with", "ptx-toolchain"),
        ("Unable to create a GPU instance on GPU 0 using", "mig-instance-refused"),
        ("could not use it: The third-party Profiling module retur", "profiling-module"),
        ("Failed to initialize NVML: Driver/library ver", "nvml-version-mismatch"),
    ],
)
def test_a_long_beginning_is_enough(text: str, symptom: str) -> None:
    assert told(text).matches[0].id == symptom


def test_a_short_beginning_is_not_enough() -> None:
    for text in ("CUDA error: the provided", "Unable to create a", "Failed to enable"):
        assert told(text).unknown, text


def test_the_evidence_is_the_line_as_it_was_written() -> None:
    text = "first\n\n[rank0]: \x1b[31mCUDA out of memory\x1b[0m. Tried to allocate 2 GiB\nlast"

    evidence = told(text).matches[0].evidence

    assert evidence.line == 3
    assert evidence.text == "[rank0]: CUDA out of memory. Tried to allocate 2 GiB"


def test_a_long_line_is_shown_around_the_place() -> None:
    text = "x " * 5000 + "CUDA out of memory" + " y" * 5000

    evidence = told(text).matches[0].evidence

    assert "CUDA out of memory" in evidence.text
    assert len(evidence.text) < 400


def test_an_echo_goes_behind_the_failure_that_it_follows() -> None:
    echo = "RuntimeError: Engine core initialization failed. See root cause above."

    report = told(f"{echo}\nOOMKilled")

    assert [match.id for match in report.matches] == ["oom-killed", "engine-core-failed"]


def test_information_goes_behind_an_error() -> None:
    report = told(
        "node:1:2 [0] NCCL INFO NET/IB : No device found.\n"
        "node:1:2 [0] NCCL WARN Call to ibv_reg_mr failed"
    )

    assert [match.id for match in report.matches] == ["rdma-memlock", "nccl-no-ib-device"]


def test_a_longer_text_wins_over_the_shorter_one_inside_it() -> None:
    report = told("CUDA out of memory occurred when warming up sampler with 1024 dummy requests")

    assert [match.id for match in report.matches] == ["sampler-warm-up", "cuda-out-of-memory"]


def test_causes_are_numbered_and_cite_sections_that_exist() -> None:
    for symptom in SYMPTOMS:
        causes = told(symptom.example).matches[0].causes
        assert [cause.rank for cause in causes] == list(range(1, len(causes) + 1))
        for cause in causes:
            assert all((cause.cause, cause.check, cause.fix, cause.evidence)), cause
            assert all(citation.title and citation.anchor for citation in cause.citations)


def test_lines_may_come_one_by_one() -> None:
    lines = ["noise"] * 1000 + ["CUDA out of", "memory"] + ["noise"] * 1000

    report = diagnose_lines(iter(lines), load_knowledge())

    assert report == told("\n".join(lines))
    assert report.matches[0].evidence.line == 1001


@pytest.mark.parametrize("at", range(380, 420, 3))
def test_the_seam_between_two_windows_hides_nothing(at: int) -> None:
    lines = [f"line {number}" for number in range(at)]
    lines += ["failed to initialize NVML: Driver/library ver", "sion mismatch"]
    lines += [f"line {number}" for number in range(300)]

    assert told("\n".join(lines)).matches[0].evidence.line == at + 1


@pytest.mark.slow
def test_effort_grows_with_the_length_of_the_log_and_no_faster() -> None:
    """Ten times the log may take twenty times as long, not a hundred times."""

    def cost(lines: int) -> float:
        log = "\n".join(
            f"2026-08-01T10:00:00Z worker {n % 8} step {n} loss {n % 97} on node gpu-{n % 40} ok"
            for n in range(lines)
        )
        begun = time.process_time()
        assert told(log).unknown
        return time.process_time() - begun

    cost(100)
    short = min(cost(2_000) for _ in range(2))

    assert cost(20_000) < 20 * max(short, 0.02)
