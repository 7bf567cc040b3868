"""Training: the real blocker, the job changed before GPUs are bought, what was assumed."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import Document, choice, told, training, warned

from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

EIGHT_A100 = {"hardware__acquisition": "owned", "hardware__gpus_per_node": 8}


def job(model: str, gpu: str, **answers: Any) -> Document:
    return training(model, gpu, **EIGHT_A100, **answers)


def offered(asked: Document) -> list[dict[str, Any]]:
    made = told(asked).decisions["gpu"]
    assert made.choice is not None
    return [made.choice.model_dump(), *(a.choice.model_dump() for a in made.alternatives)]


def reason(asked: Document) -> str:
    return told(asked).decisions["gpu"].because


def test_host_memory_is_named_where_it_blocks() -> None:
    asked = job(
        "llama-2-70b", "a100-80-sxm", method="full", sharding="zero3", offload="cpu",
        hardware__host_ram_gib=1024,
    )  # fmt: skip

    assert "GiB of host RAM" in reason(asked)
    assert "warn-host-ram-too-small" in warned(asked)


def test_enough_host_memory_is_no_blocker() -> None:
    asked = job(
        "llama-2-70b", "a100-80-sxm", method="full", sharding="zero3", offload="cpu",
        hardware__host_ram_gib=2048,
    )  # fmt: skip

    assert choice(told(asked))["option"] == "use_owned"
    assert "warn-host-ram-too-small" not in warned(asked)


def test_what_is_missing_is_told_beside_what_can_be_filled() -> None:
    asked = job("llama-3.1-70b", "a100-80-sxm", method="full")

    assert "and can fill 76.8 of 79.2" in reason(asked)


def test_copies_of_the_weights_are_sharded_before_anything_is_bought() -> None:
    asked = job("baichuan-7b", "v100", method="full", sharding="zero2")
    found = choice(told(asked))

    assert (found["option"], found["gpu"], found["total_gpus"]) == ("change_owned", "v100", 8)
    assert found["sharding"] == "zero3"
    assert any(o["training_method"] == "lora" for o in offered(asked))
    assert "warn-zero-stage-keeps-weights" in warned(asked)


def test_full_sharding_keeps_no_copies() -> None:
    asked = job("baichuan-7b", "v100", method="full", sharding="zero3")

    assert choice(told(asked))["option"] == "use_owned"
    assert "warn-zero-stage-keeps-weights" not in warned(asked)


def test_a_long_sequence_is_mended_by_its_loss_or_its_length() -> None:
    asked = job("llama-3.1-70b", "a100-80-sxm", method="qlora", sequence_tokens=32768)
    found = offered(asked)

    assert {o["gpu"] for o in found} == {"a100-80-sxm"}
    assert any(o.get("loss") == "chunked" for o in found)
    assert any(o["sequence_tokens"] < 32768 for o in found)
    assert {"warn-logits-memory", "warn-data-parallel-keeps-activations"} <= warned(asked)


def test_a_short_sequence_brings_no_warning_of_logits() -> None:
    asked = job("llama-3.1-8b", "a100-80-sxm", method="lora", sequence_tokens=2048)

    assert not {"warn-logits-memory", "warn-data-parallel-keeps-activations"} & warned(asked)


def test_attention_is_not_split_where_its_kernels_do_not_run() -> None:
    asked = job("baichuan-13b", "v100", method="full", sharding="zero2")

    assert all("context_parallel" not in o for o in offered(asked))


def test_a_job_of_several_gpus_takes_the_whole_owned_node() -> None:
    asked = job("llama-3.1-8b", "a100-80-sxm", method="full")

    assert choice(told(asked))["total_gpus"] == 8


def test_an_adapter_that_one_gpu_holds_stays_on_one() -> None:
    asked = job("llama-3.1-8b", "a100-80-sxm", method="qlora")

    assert choice(told(asked))["total_gpus"] == 1
    assert choice(told(asked), "parallelism")["option"] == "lora_single"


def test_assumptions_are_those_of_the_job() -> None:
    found = {a.key: a.value for a in told(job("llama-3.1-8b", "a100-80-sxm")).assumptions}

    assert found["training.micro_batch"] == 1
    assert found["training.lora_rank"] == 16
    assert found["training.recompute"] in {"none", "full"}
    assert not [key for key in found if key.startswith("workload.")]


def test_what_was_given_is_no_assumption() -> None:
    asked = job("llama-3.1-8b", "a100-80-sxm", method="lora", micro_batch=2, lora_rank=64)
    found = {a.key for a in told(asked).assumptions}

    assert not found & {"training.method", "training.micro_batch", "training.lora_rank"}


def test_choices_of_jobs_can_be_told_apart() -> None:
    asked = job("llama-3.1-70b", "a100-80-sxm", method="full")
    names = ("total_gpus", "training_method", "sharding", "optimizer", "sequence_tokens", "loss")
    found = [tuple(o.get(name) for name in names) for o in offered(asked)]

    assert len(found) == len(set(found)) > 1


def test_a_run_of_days_is_spread_over_the_owned_node() -> None:
    short = job("llama-3.1-8b", "h100-sxm", method="qlora", dataset_tokens="10M")
    long = job("llama-3.1-8b", "h100-sxm", method="qlora", dataset_tokens="2B")

    assert choice(told(short))["total_gpus"] == 1
    assert choice(told(long))["total_gpus"] == 8
    assert choice(told(long), "parallelism")["option"] == "lora_ddp"
    assert "copies" in told(long).decisions["parallelism"].because


def test_pretraining_takes_all_that_is_owned() -> None:
    asked = job(
        "llama-3.1-8b", "h100-sxm", workload__kind="pretraining", hardware__nodes=4,
        hardware__fabric="infiniband",
    )  # fmt: skip

    assert choice(told(asked))["total_gpus"] == 32
    assert choice(told(asked), "parallelism")["fabric"] == "infiniband"


def test_a_job_over_nodes_on_kubernetes_names_stack_and_gang() -> None:
    asked = job(
        "llama-3.1-70b", "h100-sxm", method="full", hardware__nodes=4,
        platform__orchestrator="kubernetes",
    )  # fmt: skip
    found = choice(told(asked), "parallelism")

    assert (found["job_stack"], found["gang"]) == ("kubeflow_trainer", "kueue")
    assert (found["fabric"], found["fabric_is"]) == ("rdma", "needed")


def test_the_stack_and_the_queue_that_are_there_are_kept() -> None:
    asked = job(
        "llama-3.1-70b", "h100-sxm", method="full", hardware__nodes=4, job_stack="kuberay",
        platform__orchestrator="kubernetes", platform__queueing="volcano",
    )  # fmt: skip
    found = choice(told(asked), "parallelism")

    assert (found["job_stack"], found["gang"]) == ("kuberay", "volcano")


def test_without_kubernetes_no_stack_is_named() -> None:
    asked = job(
        "llama-3.1-70b", "h100-sxm", method="full", hardware__nodes=4,
        platform__orchestrator="slurm",
    )  # fmt: skip

    assert "job_stack" not in choice(told(asked), "parallelism")


def test_a_job_that_cannot_be_split_says_so_in_words() -> None:
    asked = training(
        "llama-3.1-70b", "l4", method="full",
        hardware__acquisition="rent", hardware__gpus_per_node=1,
    )  # fmt: skip

    assert choice(told(asked))["option"] == "none_fits"


def test_pretraining_is_never_turned_into_adapters() -> None:
    asked = job("llama-3.1-70b", "a100-80-sxm", workload__kind="pretraining")

    assert {o.get("training_method") for o in offered(asked)} <= {"full", None}


def test_an_adapter_that_is_the_remedy_has_a_pattern() -> None:
    asked = training(
        "llama-3.1-70b", "a100-80-sxm", optimizer="muon", offload="cpu", master_weights="none",
        hardware__acquisition="owned",
    )  # fmt: skip

    assert choice(told(asked), "parallelism")["option"] == "lora_single"


def test_owned_machines_of_one_gpu_work_together() -> None:
    asked = training(
        "llama-3.1-8b", "a100-80-sxm", method="full",
        hardware__acquisition="owned", hardware__gpus_per_node=1, hardware__nodes=4,
    )  # fmt: skip

    assert choice(told(asked))["total_gpus"] in {3, 4}
    assert "warn-training-crosses-nodes" in warned(asked)
    assert "warn-crosses-nodes" not in warned(asked)


def test_states_go_to_the_host_where_its_memory_is_stated_and_large_enough() -> None:
    stated, small, unknown = (
        job("llama-3.1-70b", "a100-80-sxm", method="full", **host)
        for host in ({"hardware__host_ram_gib": 2048}, {"hardware__host_ram_gib": 256}, {})
    )

    assert choice(told(stated))["offload"] == "cpu"
    assert choice(told(stated))["total_gpus"] == 8
    assert "for PCIe and the CPU's optimizer" in reason(stated)
    assert all(o.get("offload") != "cpu" for o in offered(small))
    assert choice(told(unknown))["offload"] != "cpu"
    assert any(o.get("offload") == "cpu" for o in offered(unknown))


def test_a_changed_job_reads_as_one_job_on_the_same_gpus() -> None:
    asked = training(
        "llama-3.3-70b", "rtx-4090", method="qlora", sequence_tokens=4096, recompute="full",
        hardware__acquisition="owned", hardware__gpus_per_node=4,
    )  # fmt: skip
    made = told(asked)
    found, pattern = choice(made), choice(made, "parallelism")

    assert (found["option"], found["total_gpus"]) == ("change_owned", 4)
    assert found["context_parallel"] == pattern["context_parallel"] > 1
    assert found["sequence_tokens"] == pattern["sequence_tokens"] == 4096
    assert set(found["changed_settings"]) == {"context_parallel", "chunked_loss"}
    assert "Nothing has to be bought" in reason(asked)
    assert "What is owned does not carry" not in reason(asked)


def test_what_only_the_stated_job_brings_is_marked() -> None:
    made = told(job("baichuan-7b", "v100", method="full", sharding="zero2"))
    text = next(w.text for w in made.warnings if w.id == "warn-zero-stage-keeps-weights")

    assert text.startswith("The job as stated:")


def test_a_job_that_fits_has_no_changed_settings() -> None:
    assert "changed_settings" not in choice(told(job("llama-3.1-8b", "a100-80-sxm")))


def test_what_is_said_of_workers_is_used() -> None:
    asked = job("llama-3.1-8b", "a100-80-sxm", workers=2, gpus_per_worker=8, pods_per_job=2)
    read = load_rule_base(load_knowledge()).reads["answers"]

    assert "answers-not-used" not in {w.id for w in told(asked).warnings}
    assert {"training.workers", "training.gpus_per_worker", "training.pods_per_job"} <= set(read)


def test_a_shorter_sample_is_not_lost_to_hosts_that_shares_would_suit() -> None:
    short, long = (
        training(
            "qwen3-30b-a3b", "h200-sxm", workload__kind="pretraining", sequence_tokens=tokens,
            micro_batch=2, recompute="selective", offload="cpu", hardware__nvlink="no",
            hardware__acquisition="rent", hardware__host_ram_gib=64,
        )
        for tokens in (1024, 4096)
    )  # fmt: skip

    assert choice(told(long))["option"] == "buy_or_rent"
    assert choice(told(short))["total_gpus"] <= choice(told(long))["total_gpus"]


def adapters_on_two(**answers: Any) -> Document:
    """Return LoRA of a 70B that two cards of 80 GB do not hold as stated."""
    return training(
        "llama-3.3-70b", "a100-80-sxm", method="lora",
        hardware__acquisition="owned", hardware__gpus_per_node=2, **answers,
    )  # fmt: skip


def test_samples_of_a_stated_length_are_cut_last() -> None:
    found = offered(adapters_on_two(sequence_tokens=4096))
    lengths = [o["sequence_tokens"] for o in found]
    more = next(i for i, o in enumerate(found) if o["total_gpus"] > 2)

    assert found[0]["training_method"] == "qlora"
    assert lengths[0] == 4096
    assert all(length == 4096 for length in lengths[: more + 1])
    assert lengths == sorted(lengths, reverse=True)


@pytest.mark.parametrize("tokens", [None, 2048, 4096, 8192, 16384])
@pytest.mark.parametrize(
    ("model", "gpu"), [("llama-3.3-70b", "a100-80-sxm"), ("qwen3-32b", "l40s")]
)
def test_a_job_that_may_not_start_is_offered_after_those_that_do(
    tokens: int | None, model: str, gpu: str
) -> None:
    stated = {} if tokens is None else {"sequence_tokens": tokens}
    asked = training(
        model,
        gpu,
        method="lora",
        hardware__acquisition="owned",
        hardware__gpus_per_node=2,
        **stated,
    )
    made = told(asked)
    close = made.sizing is not None and any(p.code == "borderline" for p in made.sizing.problems)
    if choice(made)["option"] == "change_owned" and close:
        assert not any(o.get("training_method") == "qlora" for o in offered(asked)[1:])


def test_nothing_else_carries_it_is_not_said_beside_what_does() -> None:
    asked = adapters_on_two(sequence_tokens=4096)

    assert len(offered(asked)) > 1
    assert "Nothing else" not in reason(asked)


@pytest.mark.parametrize(
    ("model", "gpu", "expected"),
    [
        ("llama-2-13b", "h200-sxm", "bf16"),
        ("llama-2-7b", "a100-80-sxm", "bf16"),
        ("bge-m3", "l40s", "bf16"),
        ("bge-m3", "mi210", "bf16"),
        ("llama-2-7b", "v100", "fp16"),
        ("qwen2.5-0.5b", "t4", "fp16"),
    ],
)
def test_the_card_decides_the_precision_and_not_the_checkpoint(
    model: str, gpu: str, expected: str
) -> None:
    asked = job(model, gpu, method="lora")

    assert choice(told(asked))["weight_format"] == expected
    assert ("loss scaling" in reason(asked)) == (expected == "fp16")


def test_a_run_of_unknown_length_says_so_and_asks_for_the_data() -> None:
    silent, known = (
        job("llama-3.1-8b", "a100-80-sxm"),
        job("llama-3.1-8b", "a100-80-sxm", dataset_tokens="10M"),
    )

    assert "training.dataset_tokens" in reason(silent)
    assert "training.dataset_tokens" in {q.key for q in told(silent).next_questions}
    assert "training.dataset_tokens" not in reason(known)


def test_a_job_on_a_card_with_next_to_no_memory_fits_nowhere() -> None:
    document = training("llama-3.1-8b", "house-card", method="full", hardware__gpu_memory_gib=1e-7)

    assert choice(told(document))["option"] == "none_fits"
