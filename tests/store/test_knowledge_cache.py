"""What is kept between runs: never anything else than reading the files would give."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from advisor.errors import KnowledgeError
from advisor.rules.model import Rule, RuleBase
from advisor.rules.stored import from_plain, to_plain
from advisor.rules.vocabulary import FieldSpec, Vocabulary
from advisor.store import loader, loader_cache, loader_cache_file, loader_yaml
from advisor.store.loader import Knowledge, load_knowledge
from advisor.store.loader_cache_file import Cache, code_stamp
from advisor.store.loader_layout import CATALOGUES
from advisor.store.loader_rules import compiled_rules
from advisor.store.rules import load_rule_base, read_rule_files

RULE = """rules:
- id: one
  decision: gpu
  when: workload.kind == 'serving' and ('mig' in sharing.now or missing(sharing.now))
  effect: warn
  set: {severity: info, text: '{workload.kind} as it is', share: 0.5, list: [1, 1.0, true, null]}
  because: A reason.
  cite: ['1']
- id: two
  decision: facts
  for: {c: candidate}
  when: c.count > 1 and c.spare == 1.0 and c.fits == true and not
    (known(workload.model) or c.kind in ['a', 'b'] or c.count * 2 + 1 < 9)
  none: [{o: candidate, where: o.count < c.count}]
  effect: derive
  set: {kind: need, fields: {what: "'room'"}}
  because: Another reason.
  cite: ['2']
  sources: [sheet]
  since: 2026-01-31
"""
WORDS: dict[str, dict[str, Any]] = {
    "answers": {
        "workload.kind": ("serving", "training"),
        "workload.model": "str",
        "sharing.now": FieldSpec("list", ("mig", "mps")),
    },
    "candidate": {"count": "int", "spare": "number", "fits": "bool", "kind": ("a", "b", "c")},
    "need": {"what": "str"},
}
"""What the rules above may say."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / loader_cache.FILE


@pytest.fixture
def switched_on(file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The cache as a program has it, in a folder of its own."""
    monkeypatch.setenv(loader_cache.VARIABLE, str(file.parent))
    loader_cache.switch_on()
    loader.shipped_knowledge.cache_clear()
    yield file
    loader_cache.switch_off()
    loader.shipped_knowledge.cache_clear()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small knowledge folder with one rule file."""
    root = tmp_path / "knowledge"
    (root / "rules").mkdir(parents=True)
    (root / "rules" / "some.yaml").write_text(RULE, encoding="utf-8")
    return root


def rules_of(folder: Path, file: Path) -> RuleBase:
    """Return the compiled rules of a folder as a new process would, and save the cache."""
    knowledge = Knowledge(folder, Cache(file))
    records, places = read_rule_files(folder, knowledge.parse)
    base = compiled_rules(records, Vocabulary.of(WORDS), places.locate, knowledge.cache)
    assert knowledge.cache is not None
    knowledge.cache.save()
    return base


def written(base: RuleBase) -> list[str]:
    """Return everything about a rule base as text, which tells 1 from 1.0 and from true."""
    rules = [
        repr({field.name: getattr(rule, field.name) for field in dataclasses.fields(rule)})
        for rule in base.rules
    ]
    reads = {kind: sorted(fields.items()) for kind, fields in base.reads.items()}
    return [*rules, repr((reads, base.phases, base.recursive, base.list_keys, list(base.by_id)))]


def no_yaml(*_: object) -> Any:
    message = "a YAML file was parsed"
    raise AssertionError(message)


def no_compiler(*_: object) -> Any:
    message = "rules were compiled"
    raise AssertionError(message)


def test_every_catalogue_is_the_same_with_and_without(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = load_knowledge().path
    plain, cold = Knowledge(path), Knowledge(path, Cache(file))
    plain.load_all()
    cold.load_all()
    assert cold.cache is not None
    cold.cache.save()
    monkeypatch.setattr(loader, "parse_yaml", no_yaml)
    warm = Knowledge(path, Cache(file))
    warm.load_all()

    for name in CATALOGUES:
        assert warm.catalogue(name) == plain.catalogue(name)
        assert repr(warm.catalogue(name)) == repr(cold.catalogue(name))
    assert (warm.version, warm.as_of) == (plain.version, plain.as_of)


def test_the_shipped_rules_are_the_same_with_and_without(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = load_knowledge().path
    plain = load_rule_base(Knowledge(path))
    cold = Knowledge(path, Cache(file))
    assert written(load_rule_base(cold)) == written(plain)
    assert cold.cache is not None
    cold.cache.save()
    monkeypatch.setattr(loader, "parse_yaml", no_yaml)
    monkeypatch.setattr("advisor.rules.load.load_rules", no_compiler)

    assert written(load_rule_base(Knowledge(path, Cache(file)))) == written(plain)


def test_every_field_of_a_rule_comes_back_from_its_plain_form(folder: Path, file: Path) -> None:
    """Fails when a rule gets a field that the plain form does not carry."""
    base = rules_of(folder, file)
    marked = [
        dataclasses.replace(
            rule,
            strength="may",
            stratum=3,
            title="title",
            note="note",
            until=dt.date(2027, 1, 2),
            as_of=dt.date(2026, 1, 2),
            sources=("a",),
            unverified=("when",),
        )
        for rule in base.rules
    ]
    full = dataclasses.replace(base, rules=tuple(marked), recursive=frozenset([0]), _views={})
    defaults = {
        field.name: field.default
        for field in dataclasses.fields(Rule)
        if field.default is not dataclasses.MISSING
    }
    same = [name for name, value in defaults.items() if repr(value) == repr(vars(marked[1])[name])]
    back = from_plain(json.loads(json.dumps(to_plain(full))))

    assert same == []
    assert written(back) == written(full)


def test_an_edited_rule_is_read_even_when_size_and_time_stay(folder: Path, file: Path) -> None:
    rules_of(folder, file)
    path = folder / "rules" / "some.yaml"
    before = path.stat()
    path.write_text(RULE.replace("A reason.", "A motive."), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = path.stat()

    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert rules_of(folder, file).rule("one").because == "A motive."
    assert rules_of(folder, file).rule("one").because == "A motive."


def test_a_rule_that_became_wrong_is_refused(folder: Path, file: Path) -> None:
    rules_of(folder, file)
    wrong = RULE.replace("workload.kind ==", "workload.kindd ==")
    (folder / "rules" / "some.yaml").write_text(wrong, encoding="utf-8")

    for _ in range(2):
        with pytest.raises(KnowledgeError) as caught:
            rules_of(folder, file)
        assert caught.value.problems[0].line == 4


def test_a_file_that_became_wrong_is_refused(folder: Path, file: Path) -> None:
    rules_of(folder, file)
    (folder / "rules" / "some.yaml").write_text(RULE + "rules: []\n", encoding="utf-8")

    for _ in range(2):
        with pytest.raises(KnowledgeError) as caught:
            rules_of(folder, file)
        assert caught.value.problems[0].code == "duplicate_key"


def test_rules_are_compiled_anew_for_another_vocabulary_and_compiler(
    folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules_of(folder, file)
    monkeypatch.setattr("advisor.rules.load.load_rules", no_compiler)
    rules_of(folder, file)
    with monkeypatch.context() as changed:
        changed.setattr("advisor.store.loader_rules._compiler_stamp", lambda: "later")
        with pytest.raises(AssertionError, match="rules were compiled"):
            rules_of(folder, file)
    vocabulary = Vocabulary.of({**WORDS, "need": {"what": ("room", "time")}})
    records, places = read_rule_files(folder)

    with pytest.raises(AssertionError, match="rules were compiled"):
        compiled_rules(records, vocabulary, places.locate, Cache(file))


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:0],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-3],
        lambda data: data.replace(b"A reason.", b"A season."),
        lambda data: data.replace(b"serving", b"working"),
        lambda data: data.replace(b"cache 1", b"cache 0"),
        lambda data: data.replace(b"\t", b" "),
        lambda data: b"\x00\xff" * len(data),
        lambda data: b"%PDF-1.7" + data,
        lambda data: data.split(b"\n", 1)[0] + b"\n\nrules\tx\n\t\t\t\n",
    ],
)
def test_a_damaged_or_foreign_file_is_passed_over_and_written_anew(
    damage: Any, folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = written(rules_of(folder, file))
    data = file.read_bytes()
    assert damage(data) != data
    file.write_bytes(damage(data))

    assert written(rules_of(folder, file)) == wanted
    monkeypatch.setattr(loader, "parse_yaml", no_yaml)
    monkeypatch.setattr("advisor.rules.load.load_rules", no_compiler)
    assert written(rules_of(folder, file)) == wanted


@pytest.mark.parametrize("shape", ['{"rules":[[]]}', "[]", "null", '{"rules":3,"parts":[]}'])
def test_another_shape_under_the_right_checksum_is_compiled_anew(
    shape: str, folder: Path, file: Path
) -> None:
    wanted = written(rules_of(folder, file))
    lines = file.read_bytes().split(b"\n")
    for number, line in enumerate(lines):
        label, _, rest = line.partition(b"\t")
        if label == b"rules":
            key = rest.partition(b"\t")[0]
            checksum = loader_cache_file._digest(shape.encode())
            lines[number] = b"\t".join([label, key, checksum, shape.encode()])
    file.write_bytes(b"\n".join(lines))

    assert written(rules_of(folder, file)) == wanted


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_the_file_is_for_its_owner_alone_and_not_believed_otherwise(
    folder: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules_of(folder, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    monkeypatch.setattr(loader, "parse_yaml", no_yaml)
    rules_of(folder, file)
    file.chmod(0o666)

    with pytest.raises(AssertionError, match="a YAML file was parsed"):
        rules_of(folder, file)


def test_a_place_that_cannot_be_written_only_costs_time(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "occupied").write_text("a file where a folder should be", encoding="utf-8")
    file = tmp_path / "occupied" / loader_cache.FILE

    assert written(rules_of(folder, file)) == written(rules_of(folder, file))
    assert (tmp_path / "occupied").is_file()


def test_a_folder_in_place_of_the_file_is_left_alone(folder: Path, file: Path) -> None:
    file.mkdir(parents=True)

    assert len(rules_of(folder, file).rules) == 2
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_two_labels_and_parts_never_run_into_each_other(file: Path) -> None:
    cache = Cache(file)
    one = cache.remembered("a", ("x", "yz"), lambda: 1)
    other = cache.remembered("a", ("xy", "z"), lambda: 2)
    another = cache.remembered("b", ("xy", "z"), lambda: 3)

    assert (one, other, another) == (1, 2, 3)
    assert cache.remembered("b", ("xy", "z"), lambda: 4) == 3


def test_data_that_json_cannot_hold_are_not_kept(file: Path) -> None:
    cache = Cache(file)

    assert cache.remembered("a", ("x",), lambda: {1, 2}) == {1, 2}
    assert cache.remembered("a", ("x",), lambda: [3]) == [3]


def test_nothing_is_written_when_nothing_is_new(folder: Path, file: Path) -> None:
    rules_of(folder, file)
    before = file.stat()
    rules_of(folder, file)

    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_an_edited_parser_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    shutil.copy(str(loader_yaml.__file__), source)
    stamp = code_stamp(source)
    source.write_text("# shorter", encoding="utf-8")

    assert code_stamp(source) != stamp
    assert code_stamp(tmp_path) == code_stamp(source)
    assert code_stamp(tmp_path / "absent.py") != stamp


def test_a_library_user_neither_reads_nor_writes_a_cache() -> None:
    assert loader_cache.active() is None
    assert load_knowledge().cache is None


def test_a_program_reads_the_shipped_knowledge_with_the_cache(switched_on: Path) -> None:
    assert load_knowledge().version
    assert not switched_on.exists()
    loader_cache.save()

    assert switched_on.is_file()


def test_another_folder_is_always_read_itself(switched_on: Path, folder: Path) -> None:
    assert load_knowledge(folder).cache is None
    assert not switched_on.exists()


def test_kb_check_never_reads_the_cache(
    switched_on: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from advisor.cli.main import run

    def refuse(*_: object) -> Any:
        message = "the cache was read"
        raise AssertionError(message)

    monkeypatch.setattr(Cache, "remembered", refuse)
    with pytest.raises(AssertionError, match="the cache was read"):
        load_knowledge().load_all()

    assert run(["kb", "check", "--path", str(load_knowledge().path)]) in (0, 1)
    assert "cache was read" not in "".join(capsys.readouterr())
    assert not switched_on.exists()


def test_off_means_that_no_file_is_made(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(loader_cache.VARIABLE, "off")
    loader_cache.switch_on()
    loader.shipped_knowledge.cache_clear()
    try:
        assert load_knowledge().cache is None
        loader_cache.save()
    finally:
        loader_cache.switch_off()
        loader.shipped_knowledge.cache_clear()
    assert not file.exists()
