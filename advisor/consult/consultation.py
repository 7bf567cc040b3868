"""The result of a consultation: a public contract (``gpu-advisor schema consultation``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from advisor.sizing.result import SizeResult

__all__ = [
    "Alternative",
    "Assumption",
    "CandidateCounts",
    "Choice",
    "Citation",
    "Consultation",
    "Correction",
    "Decision",
    "Dependency",
    "Diagnosis",
    "Given",
    "KnowledgeStamp",
    "NextQuestion",
    "OverlayStamp",
    "Rejection",
    "TraceStep",
    "Warned",
]

SCHEMA_VERSION = "1"

DecisionName = Literal["gpu", "sharing", "parallelism", "provisioning"]
Status = Literal["firm", "provisional", "open", "not_applicable"]
Strength = Literal["must", "should", "may"]
GpuOption = Literal["buy_or_rent", "use_owned", "change_owned", "none_fits"]
ParallelismOption = Literal[
    "single", "replicas", "tensor", "pipeline", "tensor_pipeline", "expert",
    "expert_dp_attention", "disaggregated", "ddp", "fsdp", "tensor_pipeline_data",
    "lora_single", "lora_ddp",
]  # fmt: skip
SharingOption = Literal[
    "exclusive", "mig", "mig_in_guest", "time_slicing", "mps", "vgpu", "vgpu_mig", "passthrough",
    "amd_partition", "sriov", "multi_lora", "fractional_scheduler", "one_process",
]  # fmt: skip
ProvisioningOption = Literal[
    "static_pool", "karpenter", "cluster_autoscaler", "managed_pool", "auto_mode", "docker_host",
    "slurm", "bare_metal",
]  # fmt: skip


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Citation(_Frozen):
    """A handbook section; ``gpu-advisor cite SECTION`` prints it."""

    section: str
    title: str
    anchor: str


class OverlayStamp(_Frozen):
    """A folder of somebody's own knowledge that took part."""

    name: str
    version: str
    as_of: str


class KnowledgeStamp(_Frozen):
    """Which knowledge base spoke."""

    version: str
    as_of: str
    overlays: tuple[OverlayStamp, ...] = ()
    """Folders of one's own that took part, lowest first: the advice is theirs, too."""

    @property
    def text(self) -> str:
        """How it is named to readers: version and day, and those of each overlay."""
        base = f"{self.version} of {self.as_of}"
        own = ", ".join(f"{one.name} {one.version} of {one.as_of}" for one in self.overlays)
        return f"{base} with {own}" if own else base


class Given(_Frozen):
    """One answer as understood."""

    key: str
    value: Any
    file: str
    line: int | None = None
    text: str | None = None
    """What was written."""
    understood: str | None = None
    """How it was read, where that is not plain."""


class Assumption(_Frozen):
    """A value taken because none was given."""

    key: str
    value: Any
    why: str
    section: str


class Choice(BaseModel):
    """One option with its parameters, flat. Parameters that do not apply are left out.

    Where owned machines of several kinds share a load, ``groups`` lists one object for each kind
    (``gpu``, ``count_per_replica``, ``replicas``, ``total_gpus``, ``nodes``, ``weight_format``, the
    sizes of its layout, and ``requests``, its part of the requests at once). All other parameters
    are then those of the first group, and ``fleet_gpus`` counts the GPUs of all groups.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    option: GpuOption | ParallelismOption | SharingOption | ProvisioningOption

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - they differ by option
            ...


class Alternative(_Frozen):
    """A runner-up."""

    choice: Choice
    because: str
    would_be_chosen_if: str
    """What would make it the choice."""
    citations: tuple[Citation, ...] = ()


class Rejection(_Frozen):
    """One thing that was considered and why it is out."""

    option: str
    gpu: str | None = None
    weight_format: str | None = None
    because: str
    citations: tuple[Citation, ...] = ()
    rule: str | None = None
    """Rule id; null when sizing rejected it."""
    outranked: bool = False
    """It carries the load within the limits; something else goes before it."""


class Dependency(_Frozen):
    """An unanswered question that could still change the choice."""

    question: str
    """Answer key."""
    if_: tuple[str, ...] = Field(default=(), alias="if")
    """Values that would change it, where the answer is discrete."""
    then: str

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Decision(_Frozen):
    """One of the four questions, answered."""

    status: Status
    choice: Choice | None = None
    strength: Strength = "should"
    because: str
    citations: tuple[Citation, ...] = Field(min_length=1)
    rules: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    rejected: tuple[Rejection, ...] = ()
    depends_on: tuple[Dependency, ...] = ()


class Warned(_Frozen):
    """Something that will bite in this situation."""

    id: str
    kind: Literal["gotcha", "risk", "limit", "conflict"]
    severity: Literal["critical", "warning", "info"]
    decision: str
    text: str
    symptom: str = ""
    cause: str = ""
    check: str = ""
    fix: str = ""
    citations: tuple[Citation, ...] = ()
    rule: str | None = None


class Diagnosis(_Frozen):
    """Causes of one symptom; empty with the nearest entries when it is not known."""

    input: str
    causes: tuple[dict[str, Any], ...] = ()
    nearest: tuple[str, ...] = ()


class Correction(_Frozen):
    """A common claim that this consultation touches, and what is right."""

    id: str
    claim: str
    right: str
    citations: tuple[Citation, ...] = ()


class CandidateCounts(_Frozen):
    """How many layouts were sized, and why most are gone."""

    considered: int
    rejected_by: dict[str, int]
    shown: tuple[dict[str, Any], ...] = ()


class NextQuestion(_Frozen):
    """A question worth answering next."""

    key: str
    why: str
    decides: tuple[str, ...] = ()


class TraceStep(_Frozen):
    """One rule firing."""

    rule: str
    facts: dict[str, str]
    """Alias to fact id."""
    effect: str


class Consultation(_Frozen):
    """Everything one set of answers leads to."""

    schema_version: str = SCHEMA_VERSION
    engine: str
    """Rule engine that ran."""
    knowledge: KnowledgeStamp
    answers: tuple[Given, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    decisions: dict[DecisionName, Decision] = Field(default_factory=dict)
    """A decision that was not asked for, or is not part of this version, is absent."""
    warnings: tuple[Warned, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    corrections: tuple[Correction, ...] = ()
    sizing: SizeResult | None = None
    candidates: CandidateCounts | None = None
    next_questions: tuple[NextQuestion, ...] = ()
    trace: tuple[TraceStep, ...] = ()
