"""The result of a diagnosis: a public contract (``gpu-advisor schema diagnosis``)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from advisor.consult.consultation import Citation

__all__ = ["DiagnosisReport", "Evidence", "Match", "RankedCause"]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Evidence(_Frozen):
    """Where in the text the symptom stands."""

    line: int = Field(ge=1)
    """Counted from 1."""
    text: str
    """What stands there, without colours; long lines are cut around the place."""


class RankedCause(_Frozen):
    """One thing that the symptom can mean in this situation."""

    id: str
    rank: int = Field(ge=1)
    """1 is the likeliest."""
    cause: str
    evidence: str
    """What in the log or the situation speaks for it."""
    check: str
    """What tells it from the others."""
    fix: str
    citations: tuple[Citation, ...] = Field(min_length=1)


class Match(_Frozen):
    """One known symptom that the text shows."""

    id: str
    """Id of a symptom, or of a gotcha that was recognised by its description."""
    title: str
    score: float = Field(gt=0, le=1)
    """How much of it stands in the text and how telling that is; to compare matches only."""
    evidence: Evidence
    causes: tuple[RankedCause, ...] = Field(min_length=1)


class DiagnosisReport(_Frozen):
    """Everything that a text shows, the best match first."""

    matches: tuple[Match, ...] = ()
    unknown: bool
    """Nothing in the text is known; then ``nearest`` may help."""
    nearest: tuple[str, ...] = ()
    """Ids of the entries that come closest when nothing is known."""
