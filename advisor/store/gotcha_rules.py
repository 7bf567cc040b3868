"""Gotchas as rules: each warns where the choices and the situation that bring it are there."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from advisor.store.choices import ALWAYS, DECIDED, NOW, ONLY_KUBERNETES, now_values

if TYPE_CHECKING:
    from advisor.rules.vocabulary import FieldSpec, Vocabulary
    from advisor.store.cited import Applies, Hint
    from advisor.store.gotcha import Gotcha
    from advisor.store.loader_files import Entry

__all__ = ["PREFIX", "gotcha_place", "gotcha_rules"]

PREFIX = "gotcha-"
"""Of the ids of these rules; the warning itself has the gotcha's id."""
_BY_VERSION, _BY_GPU = ".version", ".gpu"
"""Of further rules of the same gotcha."""
_ALIASES = {"x": "chosen", "g": "gpu", "k": "cluster", "v": "in_versions"}
_TEXTS = ("symptom", "cause", "check", "fix")
_IF_INSIDE = "{v.if_inside}"
"""What is added where a version was given too shortly to tell; else nothing."""
_FULL_DATE = 10
_KUBERNETES = "platform.orchestrator"
_VENDOR = {"nvidia": "k.nvidia"}
"""That every GPU comes from there, as far as GPUs or vendors are known."""


def gotcha_rules(gotchas: Iterable[Gotcha], vocabulary: Vocabulary) -> list[dict[str, Any]]:
    """Return rule records, as a rule file would hold them, in the order of ``gotchas``.

    All bind the fact ``chosen``, so they fire last, when every decision is made.
    """
    own = (gotcha for gotcha in gotchas if not gotcha.told_always)
    return [record for gotcha in own for record in _records(gotcha, vocabulary)]


def gotcha_place(entries: Iterable[Entry], rule_id: str) -> Entry | None:
    """Return the record that a rule was made of."""
    wanted = rule_id.removeprefix(PREFIX).removesuffix(_BY_VERSION).removesuffix(_BY_GPU)
    return next((entry for entry in entries if entry.record.id == wanted), None)


def _records(gotcha: Gotcha, vocabulary: Vocabulary) -> Iterator[dict[str, Any]]:
    applies = gotcha.applies
    must = [_hint(hint, vocabulary) for hint in _asked(applies)]
    must += [_unless(hint, vocabulary) for hint in applies.unless if not _asks_for_gpu(hint)]
    if applies.vendor:
        must.append(_VENDOR[applies.vendor])
    version = [f"v.gotcha == '{gotcha.id}'"] if applies.versions else []
    none = list(_none(gotcha, vocabulary))
    beside = [] if applies.versions_suffice else version
    for suffix, hints in _split(applies.any_of):
        one = [_any([_hint(hint, vocabulary) for hint in hints])] if hints else []
        yield _record(gotcha, suffix, [*must, *one, *beside], none)
    if applies.versions_suffice:
        yield _record(gotcha, _BY_VERSION, [*must, *version], none)


def _asked(applies: Applies) -> Iterator[Hint]:
    """Yield the hints that must hold, without Kubernetes where a choice says as much.

    Who reads an error without a consultation knows no choice, so the records name it all the same.
    """
    others = [hint for hint in applies.all_of if hint.key != _KUBERNETES]
    implied = any(map(_only_there, others)) or (
        bool(applies.any_of) and all(map(_only_there, applies.any_of))
    )
    for hint in applies.all_of:
        if not (implied and hint.key == _KUBERNETES and hint.values == ("kubernetes",)):
            yield hint


def _only_there(hint: Hint) -> bool:
    return bool(hint.values) and set(hint.values) <= ONLY_KUBERNETES.get(hint.key, set())


def _split(hints: tuple[Hint, ...]) -> Iterator[tuple[str, list[Hint]]]:
    """Yield the hints that ask for no GPU and those that do, if there are any.

    A rule that reads a GPU needs one; what holds without must not wait for it.
    """
    with_gpu = [hint for hint in hints if _asks_for_gpu(hint)]
    without = [hint for hint in hints if hint not in with_gpu]
    if without or not with_gpu:
        yield "", without
    if with_gpu:
        yield _BY_GPU if without else "", with_gpu


def _asks_for_gpu(hint: Hint) -> bool:
    return hint.key.startswith("gpu.") or any(map(_asks_for_gpu, hint.together))


def _record(
    gotcha: Gotcha, suffix: str, parts: list[str], none: list[dict[str, str]]
) -> dict[str, Any]:
    when = " and ".join(parts)
    aliases = [name for name in _ALIASES if name == "x" or re.search(rf"\b{name}\.", when)]
    told = {name: _literal(getattr(gotcha, name)) for name in _TEXTS}
    text = _literal(gotcha.title.rstrip(".") + ".") + (_IF_INSIDE if "v" in aliases else "")
    return {
        "id": f"{PREFIX}{gotcha.id}{suffix}",
        "decision": gotcha.decision,
        "title": gotcha.title,
        "for": {alias: _ALIASES[alias] for alias in aliases},
        "when": when,
        "none": none,
        "effect": "warn",
        "set": {
            "id": gotcha.id,
            "kind": "gotcha",
            "severity": gotcha.severity,
            "text": text,
            **told,
            **_elsewhere(gotcha),
            **({"told_by": list(gotcha.told_by)} if gotcha.told_by else {}),
        },
        "because": _literal(gotcha.applies.words),
        "cite": list(gotcha.sections),
        **_dates(gotcha),
    }


def _elsewhere(gotcha: Gotcha) -> dict[str, dict[str, str]]:
    """Return the texts for hosts without Kubernetes, where there are any."""
    if gotcha.without_kubernetes is None:
        return {}
    texts = gotcha.without_kubernetes.model_dump(exclude_none=True)
    return {"without_kubernetes": {name: _literal(text) for name, text in texts.items()}}


def _none(gotcha: Gotcha, vocabulary: Vocabulary) -> Iterator[dict[str, str]]:
    """Yield the GPUs that there must not be."""
    for hint in filter(_asks_for_gpu, gotcha.applies.unless):
        where = _hint(hint, vocabulary)
        yield {"o": "gpu", "where": re.sub(r"\bg\.", "o.", where)}


def _dates(gotcha: Gotcha) -> dict[str, dt.date]:
    """Return the first day and the day after the last, where they are known to the day."""
    found: dict[str, dt.date] = {}
    if gotcha.since and len(gotcha.since) == _FULL_DATE:
        found["since"] = dt.date.fromisoformat(gotcha.since)
    if gotcha.until and len(gotcha.until) == _FULL_DATE:
        found["until"] = dt.date.fromisoformat(gotcha.until) + dt.timedelta(days=1)
    return found


def _literal(text: str) -> str:
    """Return ``text`` for a rule, whose texts have slots in braces."""
    return text.replace("{", "{{").replace("}", "}}")


def _any(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else "(" + " or ".join(parts) + ")"


def _hint(hint: Hint, vocabulary: Vocabulary) -> str:
    """Return the condition of a hint, with what runs now beside what is chosen."""
    tests = [_test(hint.key, hint.values, hint, vocabulary)]
    values = _now(hint)
    if values:
        tests.append(_there(_test(NOW[hint.key][0], values, hint, vocabulary), values))
    beside = [_hint(other, vocabulary) for other in hint.together]
    if not beside:
        return _any(tests)
    return "(" + " and ".join([_any(tests), *beside]) + ")"


def _unless(hint: Hint, vocabulary: Vocabulary) -> str:
    """Return the condition that a hint does not hold; what is not known does no harm."""
    test = _not(hint, hint.key, hint.values, vocabulary)
    values = _now(hint)
    if values:
        now = _not(hint, NOW[hint.key][0], values, vocabulary)
        test = f"{test} and {now}"
    if not hint.together:
        return test
    return _any([f"({test})", *(f"({_unless(other, vocabulary)})" for other in hint.together)])


def _there(test: str, values: tuple[str, ...]) -> str:
    """Return the test of what is said to run, with MIG only where a GPU may have it."""
    return f"({test} and (missing(k.mig) or k.mig == true))" if values == ("mig",) else test


def _now(hint: Hint) -> tuple[str, ...]:
    """Return the values of the question that say the same of what runs now, where that counts."""
    if hint.key not in NOW or hint.key in DECIDED:
        return ()
    return tuple(dict.fromkeys(now_values(hint.key, hint.values)))


def _not(hint: Hint, key: str, values: tuple[str, ...], vocabulary: Vocabulary) -> str:
    kind, field, name = _field(key)
    if hint.answered is not None:
        return f"{'missing' if hint.answered else 'known'}({name})"
    other = _unlike(key, values, vocabulary) if values else _other_size(name, hint)
    if key in ALWAYS or _class(vocabulary.field(kind, field)) == "list":
        return other
    return f"(missing({name}) or {other})"


def _other_size(name: str, hint: Hint) -> str:
    """Return the condition that a number is known and has not the size of the hint."""
    sizes = [("<", hint.at_least), (">=", hint.below)]
    return _any([f"{name} {sign} {size:g}" for sign, size in sizes if size is not None])


def _unlike(key: str, values: tuple[str, ...], vocabulary: Vocabulary) -> str:
    """Return the condition that ``key`` is known and has none of ``values``."""
    kind, field, name = _field(key)
    spec = _class(vocabulary.field(kind, field))
    if spec == "list":
        return " and ".join(f"'{value}' not in {name}" for value in values)
    if spec == "yes/no":
        return f"{name} == {'false' if 'yes' in values else 'true'}"
    shown = ", ".join(f"'{value}'" for value in values)
    return f"{name} not in [{shown}]"


def _test(key: str, values: tuple[str, ...], hint: Hint, vocabulary: Vocabulary) -> str:
    kind, field, name = _field(key)
    spec = vocabulary.field(kind, field)
    if hint.answered is not None:
        return f"{'known' if hint.answered else 'missing'}({name})"
    if not values:
        sizes = [(">=", hint.at_least), ("<", hint.below)]
        return " and ".join(f"{name} {sign} {size:g}" for sign, size in sizes if size is not None)
    kinds: dict[str, Callable[[str, tuple[str, ...]], str]] = {"list": _listed, "yes/no": _yes_no}
    return kinds.get(_class(spec), _text)(name, values)


def _field(key: str) -> tuple[str, str, str]:
    """Return kind, field and name in a condition of a hint's key."""
    root, _, rest = key.partition(".")
    if root in {"choice", "chosen"}:
        field = rest.replace(".", "_")
        return "chosen", field, f"x.{field}"
    if root == "gpu":
        return "gpu", rest, f"g.{rest}"
    if root == "cluster":
        return "cluster", rest, f"k.{rest}"
    return "answers", key, key


def _class(spec: FieldSpec | None) -> str:
    return "text" if spec is None else spec.type_class


def _listed(name: str, values: tuple[str, ...]) -> str:
    return _any([f"'{value}' in {name}" for value in values])


def _yes_no(name: str, values: tuple[str, ...]) -> str:
    if {"yes", "no"} <= set(values):
        return f"known({name})"
    return f"{name} == {'true' if 'yes' in values else 'false'}"


def _text(name: str, values: tuple[str, ...]) -> str:
    shown = ", ".join(f"'{value}'" for value in values)
    return f"{name} == {shown}" if len(values) == 1 else f"{name} in [{shown}]"
