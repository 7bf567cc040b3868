"""Whatever is asked about, an explanation or a problem comes out, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable

from explain_support import POOL, adviser, case, holds_together
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.errors import InputError
from advisor.explain.compare import compare
from advisor.explain.explanation import Explanation
from advisor.explain.how import how
from advisor.explain.limits import limits
from advisor.explain.whatif import whatif
from advisor.explain.why import why
from advisor.explain.whynot import whynot
from advisor.store.choices import CHOICES

OPTIONS = sorted(
    option
    for name, values in CHOICES.items()
    if name.startswith("choice.") and name.endswith(".option")
    for option in values
)
KEYS = sorted(adviser().questions)
CARDS = sorted(adviser().knowledge.gpus)
things = st.one_of(
    st.sampled_from(OPTIONS), st.sampled_from(CARDS), st.sampled_from(["fp8", "tp8", "1g.10gb"]),
    st.text(max_size=12),
)  # fmt: skip
names = st.one_of(st.sampled_from(KEYS), st.sampled_from(["gpu", "sharing", "gpu.nodes"]), things)
quick = settings(
    max_examples=40, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip


def asked(explain: Callable[[], Explanation]) -> None:
    try:
        told = explain()
    except InputError as error:
        if not error.problems[0].message:
            raise
        return
    holds_together(told)
    json.dumps(told.as_dict())


@quick
@given(st.sampled_from(sorted(POOL)), names)
def test_how_and_why_of_anything(name: str, wanted: str) -> None:
    asked(lambda: how(adviser(), case(name), wanted))
    asked(lambda: why(adviser(), case(name), wanted))


@quick
@given(st.sampled_from(sorted(POOL)), things, things)
def test_whynot_and_compare_of_anything(name: str, first: str, second: str) -> None:
    asked(lambda: whynot(adviser(), case(name), first, most=3))
    asked(lambda: compare(adviser(), case(name), first, second))


@quick
@given(
    st.sampled_from(sorted(POOL)),
    st.sampled_from(KEYS),
    st.one_of(st.sampled_from(["", "unknown", "yes", "4", "0", "1e9", "[a]"]), st.text(max_size=8)),
)
def test_whatif_and_limits_of_anything(name: str, key: str, value: str) -> None:
    asked(lambda: whatif(adviser(), case(name), [f"{key}={value}"]))
    asked(lambda: limits(adviser(), case(name), key, most=4))
