"""The shape of one rule as written in a YAML file, before its texts are understood."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

__all__ = ["DECISIONS", "EFFECTS", "Decision", "Effect", "RuleRecord", "Strength", "rule_schema"]

Decision = Literal["gpu", "parallelism", "sharing", "provisioning", "facts"]
Effect = Literal["derive", "recommend", "reject", "warn", "require"]
Strength = Literal["must", "should", "may"]
DECISIONS: tuple[str, ...] = ("gpu", "parallelism", "sharing", "provisioning", "facts")
EFFECTS: tuple[str, ...] = ("derive", "recommend", "reject", "warn", "require")

Identifier = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=100)]
Text = Annotated[StrictStr, Field(min_length=1)]
Section = Annotated[StrictStr, Field(min_length=1)]
Payload = StrictBool | StrictInt | StrictFloat | StrictStr | list[Any] | dict[str, Any] | None


class RuleRecord(BaseModel):
    """One rule: when it holds, what follows, why, and which section says so."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, arbitrary_types_allowed=False
    )

    id: Identifier = Field(description="Unique name, lower case with dashes.")
    decision: Decision = Field(description="The decision that the rule speaks about.")
    bind: Mapping[str, str] = Field(
        default={},
        alias="for",
        description="Alias -> fact kind; each alias binds one fact.",
    )
    when: Text | StrictBool = Field(
        description="Condition over the aliases' fields and the answers; true: always."
    )
    none: tuple[Mapping[str, StrictStr], ...] = Field(
        default=(),
        description="Negated patterns {alias: kind, where: condition}: no such fact exists.",
    )
    effect: Effect = Field(description="What the rule does when it matches.")
    strength: Strength = Field(default="should", description="How binding the effect is.")
    payload: Mapping[str, Payload] = Field(
        default={},
        alias="set",
        description="derive: {kind, fields: {name: expression}}; otherwise literals and texts "
        "with slots.",
    )
    because: Text = Field(
        description="One sentence with slots such as {c.gpu} or {workload.model}."
    )
    cite: tuple[Section, ...] = Field(
        min_length=1, description="Handbook sections that say so, such as '3.3'."
    )
    since: dt.date | None = Field(default=None, description="First day on which the rule holds.")
    until: dt.date | None = Field(default=None, description="First day on which it holds no more.")
    title: str | None = Field(default=None, description="Short name for tables.")
    note: str | None = Field(default=None, description="For maintainers; never printed.")
    sources: tuple[Any, ...] = Field(default=(), description="Where the claim comes from.")
    as_of: dt.date | None = Field(default=None, description="When the claim was last checked.")
    unverified: tuple[str, ...] = Field(default=(), description="What is not confirmed.")


class RuleFile(BaseModel):
    """A rule file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rules: tuple[RuleRecord, ...] = Field(description="Rules; their order breaks ties.")


def rule_schema() -> dict[str, Any]:
    """Return the JSON schema of a rule file (``gpu-advisor schema rules``)."""
    schema = RuleFile.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
