"""``symptoms:`` in answers become diagnoses; without them nothing of it is loaded."""

from __future__ import annotations

import subprocess
import sys

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Diagnosis
from advisor.reports.advice_text import advice_text


def diagnoses(*symptoms: str, **platform: object) -> tuple[Diagnosis, ...]:
    document = {"ask": [], "symptoms": list(symptoms), "platform": platform}
    return advise(read_answers(document)).diagnoses


def test_each_symptom_is_answered_in_order() -> None:
    first, second = diagnoses("the moon is red", "GPU requires reset")

    assert (first.input, first.causes) == ("the moon is red", ())
    assert second.input == "GPU requires reset"
    assert second.causes[0]["id"] == "dynamic-mig"


def test_symptoms_that_are_not_known_are_no_text() -> None:
    assert diagnoses("unknown") == ()
    assert [one.input for one in diagnoses("Unknown ", "GPU requires reset")] == [
        "GPU requires reset"
    ]


def test_a_cause_carries_all_that_is_promised() -> None:
    (found,) = diagnoses("GPU requires reset")

    for rank, cause in enumerate(found.causes, 1):
        assert cause["rank"] == rank
        assert cause.keys() == {"id", "rank", "cause", "evidence", "check", "fix", "citations"}
        assert all({"section", "title", "anchor"} == set(c) for c in cause["citations"])


def test_the_answers_rank_the_causes() -> None:
    (found,) = diagnoses("CUDA out of memory", sharing_now=["time_slicing"])

    assert found.causes[0]["id"] == "neighbour"


def test_two_symptoms_in_one_text_tell_the_causes_of_both() -> None:
    (found,) = diagnoses("NVRM: Xid (PCI:0000:3b:00): 94, pid=1; then CUDA out of memory")

    assert {"contained", "weights-do-not-fit"} <= {cause["id"] for cause in found.causes}


def test_another_symptom_in_the_text_tells_what_the_first_did_not() -> None:
    (found,) = diagnoses("GetPreferredAllocation failed: GPU is lost; Xid 79")

    assert [cause["id"] for cause in found.causes] == ["dead-gpu", "bus-power-heat"]


def test_what_is_near_is_named_when_nothing_is_known() -> None:
    (found,) = diagnoses("the fabric manager service on the NVSwitch board has an odd version")

    assert found.causes == ()
    assert found.nearest


def test_the_text_report_tells_cause_check_and_fix() -> None:
    document = {"ask": [], "symptoms": ["GPU requires reset", "the moon is red"]}

    text = advice_text(advise(read_answers(document)))

    assert "GPU requires reset" in text
    assert "check:" in text
    assert "fix:" in text
    assert "not known: the moon is red" in text


def _loaded(document: str) -> list[str]:
    code = (
        "import sys\nfrom advisor.answers.validate import read_answers\n"
        "from advisor.consult.advise import advise\n"
        f"advise(read_answers({document}))\n"
        "print(*sorted(n for n in sys.modules if n.startswith('advisor.diagnose')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_without_symptoms_nothing_of_it_is_loaded() -> None:
    assert _loaded("{'workload': {'model': 'llama-3.1-8b'}, 'hardware': {'gpu': 'l4'}}") == []


def test_with_symptoms_it_is_loaded() -> None:
    assert "advisor.diagnose.diagnose" in _loaded("{'ask': [], 'symptoms': ['Xid 79']}")


def _of_a_70b(**layout: object) -> str:
    document = {
        "workload": {"kind": "serving", "model": "llama-3.3-70b", "weight_format": "bf16"},
        "hardware": {"acquisition": "owned", "gpu": "a100-80-sxm", "gpus_per_node": 8},
        "layout": layout,
        "symptoms": ["torch.OutOfMemoryError: CUDA out of memory"],
    }
    (found,) = advise(read_answers(document)).diagnoses
    return str(found.causes[0]["id"])


def test_weights_that_fit_as_they_run_are_no_first_suspect() -> None:
    assert _of_a_70b(tensor_parallel=8) != "weights-do-not-fit"
    assert _of_a_70b(tensor_parallel=1) == "weights-do-not-fit"
    assert _of_a_70b() == "weights-do-not-fit"
