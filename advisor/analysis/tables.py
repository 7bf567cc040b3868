"""Which decision tables the rules make, what wins in each, and what is true of every fact.

This is the one place that knows how the consultation uses the rules of a decision: the hit
policy here must be what the code of the decision does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from advisor.rules.model import Rule

__all__ = ["NEVER", "PRESENT", "TABLES", "Policy", "Table", "table_of"]

Policy = Literal["all", "unique", "first"]
"""What several matching rules mean.

``all``: each gives a reason, none names an option, so they cannot disagree.
``unique``: the options are meant to exclude each other; two that match are a conflict.
``first``: the first rule in the order of the files whose option is not rejected wins.
"""


@dataclass(frozen=True, slots=True)
class Table:
    """The rules of one decision that bind one kind of fact."""

    decision: str
    kind: str
    policy: Policy
    instance: str | None = None
    """Field that tells the facts of the kind apart when a consultation has one fact for each of
    its values, all of them present: then one recommended fact is enough. ``None``: every fact by
    itself must be recommended."""
    only: str = ""
    """Condition of the facts that the table is about; of the others another table tells."""
    completed: tuple[str, ...] = ()
    """Groups of answers that are never missing here: their defaults are filled in first."""


TABLES: tuple[Table, ...] = (
    Table("gpu", "candidate", "all"),
    Table("gpu", "fleet", "all"),
    Table("parallelism", "candidate", "unique"),
    # loads on whole GPUs or plain shares have the pattern of their own candidate
    Table("parallelism", "fleet", "unique", only="fleet.mig or fleet.partitions or fleet.vgpus"),
    Table("sharing", "way", "first", "option", completed=("platform", "tenancy")),
    Table("provisioning", "pool", "first", "option", completed=("platform", "tenancy")),
)

PRESENT = frozenset({"answers", "gpu", "load", "chosen", "cluster"})
"""Kinds of which there is a fact wherever a table's own fact is; others may be absent."""

NEVER: Mapping[str, tuple[str, ...]] = {
    "candidate": (
        "candidate.tensor_parallel < 1",
        "candidate.pipeline_parallel < 1",
        "candidate.data_parallel < 1",
        "candidate.gpus_per_replica < 1",
        "candidate.nodes_per_replica < 1",
        "candidate.replicas < 1",
        "candidate.total_gpus < candidate.gpus_per_replica",
        "candidate.total_gpus < candidate.replicas",
        "candidate.gpus_per_replica < candidate.nodes_per_replica",
        "candidate.gpus_per_replica < candidate.tensor_parallel",
        "candidate.gpus_per_replica < candidate.pipeline_parallel",
        "candidate.gpus_per_replica < candidate.data_parallel",
        # serving: what is split is split by a layout, and only experts go with data-parallel ranks
        (
            "missing(candidate.train_gib) and candidate.gpus_per_replica > 1"
            " and candidate.tensor_parallel == 1 and candidate.pipeline_parallel == 1"
            " and candidate.data_parallel == 1"
        ),
        (
            "missing(candidate.train_gib) and candidate.data_parallel > 1"
            " and not candidate.expert_parallel"
        ),
        # only stages cross from one domain to another
        (
            "missing(candidate.train_gib) and candidate.nodes_per_replica > 1"
            " and candidate.pipeline_parallel == 1"
        ),
        "candidate.expert_parallel and candidate.gpus_per_replica == 1",
        "candidate.expert_parallel and candidate.pipeline_parallel > 1",
        (
            "candidate.expert_parallel and candidate.tensor_parallel > 1"
            " and candidate.data_parallel > 1"
        ),
        # training: fields of a plan come together, and one GPU is not sharded
        "known(candidate.train_gib) and missing(candidate.training_method)",
        "known(candidate.train_gib) and missing(candidate.sharding)",
        "known(candidate.train_gib) and candidate.expert_parallel",
        "missing(candidate.train_gib) and known(candidate.training_method)",
        "missing(candidate.train_gib) and known(candidate.sharding)",
        "missing(candidate.train_gib) and known(candidate.why_split)",
        "candidate.total_gpus == 1 and candidate.sharding != 'none'",
        "known(candidate.why_split) and candidate.total_gpus == 1",
        "known(candidate.why_split) and candidate.sharding != 'zero1'",
        "candidate.gpu != gpu.id",
    ),
    "fleet": (
        "fleet.loads < 1",
        "fleet.total_gpus < 1",
        "fleet.largest_engines < 1",
        "missing(fleet.largest_engines)",
        "fleet.mig and fleet.partitions",
        "fleet.mig and fleet.vgpus",
        "fleet.partitions and fleet.vgpus",
        "fleet.shared and fleet.mig",
    ),
}
"""Kind -> conditions that no fact of the kind satisfies, in the language of the rules; the kinds
themselves are the aliases. Tests hold them against the facts of consultations."""


def table_of(rule: Rule) -> Table | None:
    """Return the table that a rule belongs to, or ``None``: a warning, or about no single fact."""
    if rule.effect == "warn":
        return None
    kinds = [kind for _, kind in rule.aliases]
    return next((t for t in TABLES if t.decision == rule.decision and t.kind in kinds), None)
