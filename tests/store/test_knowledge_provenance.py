"""``kb show``: one record, its units, and where each figure was read."""

from __future__ import annotations

import json

import pytest

from advisor.errors import UnknownNameError
from advisor.store.loader import Knowledge
from advisor.store.provenance import describe_record, record_as_dict


def test_a_gpu_is_shown_with_units_and_resolved_sources(knowledge: Knowledge) -> None:
    text = describe_record(knowledge, "gpu", "h200-sxm")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "h200-sxm: H200 SXM5 141 GB" in lines
    assert "engine_memory_gib 139.7 GiB" in lines
    assert "tflops.int8 1979 TOPS" in lines
    assert "tdp_w 700 W" in lines
    assert "https://www.nvidia.com/en-us/data-center/h200/" in lines
    assert any("recalled" in line for line in lines)


def test_what_is_not_verified_is_marked(knowledge: Knowledge) -> None:
    lines = describe_record(knowledge, "gpus", "h200-sxm").splitlines()
    marked = {line.split()[0] for line in lines if "(unverified)" in line}
    assert {"memory_bandwidth_gbs", "min_cuda"} <= marked
    assert "memory_gb" not in marked


def test_a_gpu_may_be_named_as_people_write_it(knowledge: Knowledge) -> None:
    assert describe_record(knowledge, "gpu", "NVIDIA L40S").startswith("l40s: L40S")


def test_a_price_is_shown_at_its_newest_date(knowledge: Knowledge) -> None:
    text = describe_record(knowledge, "price", "p5.48xlarge")
    newest = max(p.as_of for p in knowledge.prices if p.instance == "p5.48xlarge")
    assert f"checked {newest}" in text


@pytest.mark.parametrize(
    ("catalogue", "record"),
    [
        ("mig", "h100-80"), ("link", "nvlink4"), ("ratio", "nvlink4-pcie5"),
        ("allreduce", "l40s"), ("format", "nvfp4"), ("kv_format", "fp8"),
        ("memory_generations", "hbm3e"), ("mig_facts", "placement"),
        ("model", "llama-3.3-70b"), ("purchase", "GB200 NVL72 rack"),
    ],
)  # fmt: skip
def test_every_catalogue_can_be_shown(knowledge: Knowledge, catalogue: str, record: str) -> None:
    text = describe_record(knowledge, catalogue, record)
    assert "Sources:" in text
    assert max(map(len, text.splitlines())) < 200


def test_json_holds_the_sources_themselves(knowledge: Knowledge) -> None:
    data = json.loads(json.dumps(record_as_dict(knowledge, "gpu", "b200")))
    assert data["file"] == "knowledge/gpus/nvidia-blackwell.yaml"
    assert data["record"]["memory_bandwidth_gbs"] == 7700
    assert {"id", "title", "url", "date", "how"} == set(data["record"]["sources"][0])


def test_an_unknown_catalogue_or_record_is_an_error_with_the_nearest(
    knowledge: Knowledge,
) -> None:
    with pytest.raises(UnknownNameError) as caught:
        describe_record(knowledge, "gpuss", "h200-sxm")
    assert caught.value.problems[0].nearest == ("gpus",)
    with pytest.raises(UnknownNameError) as caught:
        describe_record(knowledge, "link", "nvlink7")
    assert "nvlink6" in caught.value.problems[0].nearest
