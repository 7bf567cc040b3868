"""What the tests of advice blocks share: answers that are advised on quickly, and a desk."""

from __future__ import annotations

from pathlib import Path

from advisor.docs.desk import Desk
from advisor.docs.spec import BlockSpec, Place, read_spec
from advisor.explain.adviser import Adviser

PLATFORM = """\
workload: {kind: platform}
hardware: {acquisition: owned, gpu: h100-sxm, gpus_per_node: 8, nodes: 1}
platform: {orchestrator: kubernetes, cloud: on_prem}
tenancy: {tenants: untrusted, workloads_per_gpu: 4}
"""
SERVING = """\
workload: {kind: serving, model: llama-3.1-8b, context_tokens: 8k, concurrency: 10}
hardware: {acquisition: owned, gpu: l40s}
"""
DESK = Desk(Adviser(engine="reference"))


def spec(attributes: str = "", answers: str = SERVING) -> BlockSpec:
    """Return a block with inline answers."""
    return read_spec(attributes, answers.splitlines(), Place("page.md", 1), 2)


def advised(attributes: str = "", answers: str = SERVING) -> str:
    """Return the Markdown of a block with inline answers."""
    return DESK.write(spec(attributes, answers), Path()).markdown
