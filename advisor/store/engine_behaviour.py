"""Schema of the serving-engine catalogue (``knowledge/engines``) and the lookup by version.

Engines change what they charge to GPU memory from release to release. Each behaviour is a list
of values; a value holds from the release in ``since`` until another value of the same behaviour
begins (or until the release in ``until``). Values that begin with the same release are rules:
the first whose ``when`` holds is taken, and the last has no ``when``.

>>> from advisor.store.loader import load_knowledge
>>> vllm = load_knowledge().catalogue("engines").by_id("engines")["vllm"]
>>> vllm.at("0.19.1")["utilization_default"], vllm.at("0.33")["utilization_default"]
(0.9, 0.92)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from types import MappingProxyType
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, PrivateAttr, model_validator

from advisor.store.engine_version import EngineVersion, Release, parse_version, release_of
from advisor.store.records import SECTION, Record, Strict

__all__ = [
    "Behaviour",
    "BehaviourValue",
    "Circumstances",
    "EngineBehaviours",
    "EngineVersion",
    "Measurement",
    "Value",
    "When",
    "parse_version",
]

Scalar = bool | int | float | str
Value = Scalar | tuple[Scalar, ...] | dict[str, Scalar | tuple[Scalar, ...]]
"""What a behaviour says: one figure or word, a list, or a small mapping such as
``{low, expected, high}``."""

Trait = Literal[
    "hybrid", "gdn", "mamba2", "kda", "moe", "mla", "sparse_mla", "vision", "sliding",
    "chunked_local", "speculative", "kv_connector", "kv_events", "lora", "eager",
    "no_chunked_prefill", "quantized_weights", "fp8_kv", "nvfp4_kv", "awq", "gptq",
]  # fmt: skip


def _checked_release(text: str) -> str:
    if release_of(text) is None:
        raise ValueError(f"{text!r} is not a release number such as 0.11.2")
    return text


VersionText = Annotated[str, AfterValidator(_checked_release)]
"""A release number; quoted in YAML so that 0.10 does not become 0.1."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a rule may depend on besides the version; ``None`` means not known."""

    gpu_gib: float | None = None
    """Total memory of one GPU as the runtime reports it."""
    gpu_name: str | None = None
    capability: float | None = None
    """CUDA compute capability, such as 9.0 or 12.1."""
    vendor: Literal["nvidia", "amd"] = "nvidia"
    tensor_parallel: int = 1
    usage: Literal["server", "offline"] = "server"
    max_model_len: int | None = None
    traits: frozenset[str] = field(default_factory=frozenset)
    """Of the model and the launch, see :data:`Trait`."""


class When(Strict):
    """Conditions of a value; all that are given must hold, and what is not known does not."""

    min_gpu_gib: float | None = None
    below_gpu_gib: float | None = None
    gpu_names: tuple[str, ...] = ()
    """At least one is part of the GPU's name, whatever the case."""
    exclude_gpu_names: tuple[str, ...] = ()
    min_capability: float | None = None
    below_capability: float | None = None
    vendor: Literal["nvidia", "amd"] | None = None
    tp_min: int | None = None
    usage: Literal["server", "offline"] | None = None
    generation: Literal["v0", "v1"] | None = None
    """Which of two engine generations that lived side by side was chosen."""
    model_len_above: int | None = None
    traits: tuple[Trait, ...] = ()
    without_traits: tuple[Trait, ...] = ()

    def holds(self, where: Circumstances, version: EngineVersion) -> bool:
        """Tell whether the conditions hold for ``version`` in circumstances ``where``."""
        return (
            _between(where.gpu_gib, self.min_gpu_gib, self.below_gpu_gib)
            and _between(where.capability, self.min_capability, self.below_capability)
            and self._name_fits((where.gpu_name or "").lower())
            and self.vendor in (None, where.vendor)
            and where.tensor_parallel >= (self.tp_min or 1)
            and self.usage in (None, where.usage)
            and self.generation in (None, version.generation)
            and (self.model_len_above is None or (where.max_model_len or 0) > self.model_len_above)
            and where.traits.issuperset(self.traits)
            and where.traits.isdisjoint(self.without_traits)
        )

    def _name_fits(self, name: str) -> bool:
        if self.gpu_names and not any(part.lower() in name for part in self.gpu_names):
            return False
        return not any(part.lower() in name for part in self.exclude_gpu_names)


class Measurement(Strict):
    """One figure that an engine printed."""

    value: float
    what: str
    """Model, GPU, layout and flags, as far as the log tells."""
    version: str
    source: str


class BehaviourValue(Strict):
    """One value of a behaviour and from which release it holds."""

    since: VersionText
    until: VersionText | None = None
    """First release to which it no longer applies, where no other value takes over."""
    when: When | None = None
    value: Value
    note: str | None = None
    measured: tuple[Measurement, ...] = ()
    source: str
    unverified: bool = False
    """Not seen in the source or documentation of that release."""


class Behaviour(Strict):
    """Everything known of one behaviour of one engine, oldest value first."""

    key: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    unit: str
    """``GiB``, ``tokens``, ``share``, ``bytes``, ``blocks``, ``switch``, ``rule`` or ``text``."""
    meaning: str
    section: str = Field(pattern=SECTION)
    """Handbook section that explains it."""
    values: tuple[BehaviourValue, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        order = [_known(value.since) for value in self.values]
        if order != sorted(order):
            raise ValueError(f"{self.key}: values must be in order of since")
        for since, rules in groupby(self.values, key=lambda value: _known(value.since)):
            *conditional, last = rules
            if last.when is not None or any(rule.when is None for rule in conditional):
                text = ".".join(map(str, since))
                raise ValueError(
                    f"{self.key}: of the rules since {text}, only the last has no when"
                )
        return self

    def rules_at(self, release: Release) -> tuple[BehaviourValue, ...]:
        """Return the rules in force at ``release``, in the order in which they are tried."""
        begun = [value for value in self.values if _known(value.since) <= release]
        if not begun:
            return ()
        newest = _known(begun[-1].since)
        return tuple(
            value
            for value in begun
            if _known(value.since) == newest
            and (value.until is None or release < _known(value.until))
        )

    def rule_at(self, version: EngineVersion, where: Circumstances) -> BehaviourValue | None:
        """Return the rule that decides at ``version``; ``None`` when the behaviour is absent.

        A version that no engine has resolved yet has no release, and so no rule.
        """
        for rule in self.rules_at(version.release) if version.release else ():
            if rule.when is None or rule.when.holds(where, version):
                return rule
        return None


_NEAR_COMMITS = 1500
"""How far a build may be from a dated one and still behave like its release."""


class UntaggedBuild(Strict):
    """A build of a checkout without tags (``0.1.dev19754``) whose date is known."""

    commits: int = Field(ge=1)
    release: VersionText
    """Release of the same weeks."""
    source: str


class EngineBehaviours(Record):
    """What one engine does with GPU memory, release by release."""

    name: str
    newest_version: VersionText
    """Newest release whose behaviour was read."""
    oldest_version: VersionText
    """Oldest release that is told apart; older ones are taken to behave like it."""
    untagged_builds: tuple[UntaggedBuild, ...] = ()
    behaviours: tuple[Behaviour, ...] = Field(min_length=1)
    _by_release: dict[Release, tuple[tuple[str, tuple[BehaviourValue, ...]], ...]] = PrivateAttr(
        default_factory=dict
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        keys = [behaviour.key for behaviour in self.behaviours]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise ValueError(f"behaviours given twice: {', '.join(twice)}")
        cited = {value.source for behaviour in self.behaviours for value in behaviour.values}
        cited |= {
            measurement.source
            for behaviour in self.behaviours
            for value in behaviour.values
            for measurement in value.measured
        }
        missing = sorted(cited - set(self.sources))
        if missing:
            raise ValueError(f"sources of values not listed in sources: {', '.join(missing)}")
        return self

    @cached_property
    def lengths(self) -> frozenset[int]:
        """Lengths of the longest request, in tokens, above which a value differs."""
        conditions = (value.when for item in self.behaviours for value in item.values)
        return frozenset(
            when.model_len_above
            for when in conditions
            if when is not None and when.model_len_above is not None
        )

    def behaviour(self, key: str) -> Behaviour | None:
        """Return the behaviour called ``key``, if this engine has it."""
        return next((item for item in self.behaviours if item.key == key), None)

    def resolve(self, version: str | EngineVersion | None) -> EngineVersion:
        """Return the release whose behaviour stands for ``version``, with a note if it differs.

        ``None``, nightly builds and text that is no version behave as the newest release; what
        is older than the oldest or newer than the newest known release behaves as that one.
        """
        asked = version if isinstance(version, EngineVersion) else parse_version(version)
        newest, oldest = _known(self.newest_version), _known(self.oldest_version)
        if asked.commits is not None and (build := self._dated(asked.commits)) is not None:
            text = f"a build without a release number, of the weeks of {build.release}"
            dated = replace(asked, release=_known(build.release), newest=False, note=None)
            return dated.with_note(text)
        if asked.newest or asked.release is None:
            return replace(asked, release=newest, newest=False)
        if asked.release > newest:
            text = f"newer than the newest known release; taken as {self.newest_version}"
            return replace(asked.with_note(text), release=newest)
        if asked.release < oldest:
            text = f"older than the oldest known release; taken as {self.oldest_version}"
            return replace(asked.with_note(text), release=oldest)
        return asked

    def _dated(self, commits: int) -> UntaggedBuild | None:
        near = [b for b in self.untagged_builds if abs(b.commits - commits) <= _NEAR_COMMITS]
        return min(near, key=lambda build: abs(build.commits - commits), default=None)

    def at(
        self, version: str | EngineVersion | None, where: Circumstances | None = None
    ) -> Mapping[str, Value]:
        """Return the values in force at ``version`` by key; absent behaviours are left out.

        Without ``where``, nothing is known of GPU and model: rules with conditions on them are
        passed over.
        """
        return MappingProxyType({key: rule.value for key, rule in self._rules(version, where)})

    def rules(
        self, version: str | EngineVersion | None, where: Circumstances | None = None
    ) -> Mapping[str, BehaviourValue]:
        """Return what :meth:`at` returns with notes, measurements and sources."""
        return MappingProxyType(dict(self._rules(version, where)))

    def _rules(
        self, version: str | EngineVersion | None, where: Circumstances | None
    ) -> list[tuple[str, BehaviourValue]]:
        asked, circumstances = self.resolve(version), where or Circumstances()
        found = []
        for key, rules in self._in_force(asked.release):
            for rule in rules:
                if rule.when is None or rule.when.holds(circumstances, asked):
                    found.append((key, rule))
                    break
        return found

    def _in_force(
        self, release: Release | None
    ) -> tuple[tuple[str, tuple[BehaviourValue, ...]], ...]:
        """Return the rules of every behaviour at ``release``, worked out once."""
        if release is None:
            return ()
        if release not in self._by_release:
            self._by_release[release] = tuple(
                (item.key, item.rules_at(release)) for item in self.behaviours
            )
        return self._by_release[release]


def _between(value: float | None, low: float | None, below: float | None) -> bool:
    if low is None and below is None:
        return True
    if value is None:
        return False
    return (low is None or value >= low) and (below is None or value < below)


def _known(text: str) -> Release:
    """Return the release of a checked :data:`VersionText`."""
    return release_of(text) or (0, 0, 0)
