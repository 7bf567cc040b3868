"""What is wrong with a folder of one's own is said at once, with its file and line."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from pack import FILES, QUESTIONS, RULES, VERSION, write_pack

from advisor.answers.questions_files import check_questions
from advisor.cli.kb_check import check_everything
from advisor.errors import GpuAdvisorError, InputError, KnowledgeError, Problem
from advisor.store.check import check_sources_used
from advisor.store.loader import load_knowledge
from advisor.store.overlays import read_overlays
from advisor.store.rules import check_rule_files

DAY = dt.date(2026, 11, 30)


def refused(*folders: Path) -> tuple[Problem, ...]:
    with pytest.raises(GpuAdvisorError) as caught:
        load_knowledge(overlays=folders)
    return caught.value.problems


def faults(folder: Path) -> tuple[Problem, ...]:
    shipped = load_knowledge().path
    return check_everything(shipped, DAY, analyse=False, overlays=read_overlays([folder])).faults


def line_with(folder: Path, name: str, text: str) -> int:
    lines = (folder / name).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    [problem] = refused(tmp_path / "nowhere")

    assert problem.code == "no_such_folder"


def test_a_folder_given_twice_under_two_names(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "nord")

    [problem] = refused(folder, folder / ".." / "nord")

    assert "twice" in problem.message


def test_two_folders_of_one_name(tmp_path: Path) -> None:
    [problem] = refused(write_pack(tmp_path / "a"), write_pack(tmp_path / "b"))

    assert problem.code == "duplicate_name"
    assert problem.file == f"{(tmp_path / 'b').as_posix()}/version.yaml"


@pytest.mark.parametrize(
    ("version", "code", "key"),
    [
        (VERSION.replace("name: nord\n", ""), "missing_key", "name"),
        (VERSION.replace("nord", "Nord Team"), "bad_name", "name"),
        (VERSION.replace("nord", "glossary"), "bad_name", "name"),
        (VERSION.replace("2026-11-30", "2026-11"), "bad_date", "as_of"),
        (VERSION.replace("2026-11-30", "2026-02-30"), "bad_date", "as_of"),
        (VERSION.replace("'7'", "7"), "missing_key", "version"),
        (VERSION + "owner: us\n", "unknown_key", "owner"),
        ("[]", "missing_key", "name"),
        ("name: [", "bad_yaml", None),
    ],
)
def test_a_version_file_that_cannot_be_used(
    tmp_path: Path, version: str, code: str, key: str | None
) -> None:
    problem = refused(write_pack(tmp_path / "nord", version=version))[0]

    assert (problem.code, problem.key) == (code, key)
    assert problem.file is not None
    assert problem.file.endswith("nord/version.yaml")


def test_a_folder_without_a_version_file(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "nord")
    (folder / "version.yaml").unlink()

    [problem] = refused(folder)

    assert problem.code == "missing_file"


def test_a_file_that_nothing_reads_is_named_with_what_comes_close(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "nord", {**FILES, "rule/house.yaml": RULES})

    [problem] = refused(folder)

    assert problem.code == "unread_file"
    assert problem.file == f"{folder.as_posix()}/rule/house.yaml"
    assert "rules/*.yaml" in problem.nearest


def test_a_readme_and_hidden_files_are_nobodys_business(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "nord", {**FILES, "README.md": "Ours", ".git/HEAD": "x"})

    assert load_knowledge(overlays=[folder]).overlays[0].name == "nord"


def test_a_sound_folder_has_no_faults(tmp_path: Path) -> None:
    assert faults(write_pack(tmp_path / "nord")) == ()


def test_replacing_a_shipped_record_leaves_no_shipped_source_unused(tmp_path: Path) -> None:
    files = {**FILES, "gpus/cards.yaml": FILES["gpus/cards.yaml"].replace("nord-card", "l40s", 1)}
    files["catalogues/prices.yaml"] = files["catalogues/prices.yaml"].replace("nord-card", "l40s")

    assert faults(write_pack(tmp_path / "nord", files)) == ()


def test_an_own_source_that_nothing_cites_is_found_though_its_record_is_replaced(
    tmp_path: Path,
) -> None:
    spare = "  spare: {title: Spare, date: '2026-11'}\n"
    cards = FILES["gpus/cards.yaml"]
    low = write_pack(tmp_path / "low", {"version.yaml": VERSION, "gpus/a.yaml": cards + spare})
    top_version = VERSION.replace("nord", "top")
    top = write_pack(tmp_path / "top", {"version.yaml": top_version, "gpus/a.yaml": cards})

    found = check_sources_used(load_knowledge(overlays=[low, top]), None)

    assert [(p.file, p.key) for p in found] == [(f"{low.as_posix()}/gpus/a.yaml", "sources.spare")]


def planted(folder: Path, *changes: tuple[str, str, str]) -> set[tuple[str, str, int | None]]:
    """Return code, file inside the folder and line of what is found after some changes."""
    files = dict(FILES)
    for name, old, new in changes:
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
    write_pack(folder, files)
    start = f"{folder.as_posix()}/"
    found = faults(folder)
    assert all(problem.file and problem.file.startswith(start) for problem in found), found
    return {(p.code, str(p.file).removeprefix(start), p.line) for p in found}


def test_what_leads_nowhere_is_named_with_the_folders_own_file_and_line(tmp_path: Path) -> None:
    folder = tmp_path / "nord"
    found = planted(
        folder,
        ("catalogues/prices.yaml", "gpu: nord-card", "gpu: nord-kard"),
        ("rules/house.yaml", '["nord.1"]', '["nord.7"]'),
        ("questions/nord.yaml", "section: nord.1", "section: nord.8"),
        ("handbook/nord.md", "§2.1", "§2.9"),
        ("handbook/nord.md", "{#nord-zones}", "{#memory-math}"),
        ("handbook/nord.md", "- Minutes, 2026-11-12", "- Minutes"),
    )

    assert found == {
        (
            "unknown_id",
            "catalogues/prices.yaml",
            line_with(folder, "catalogues/prices.yaml", "kard"),
        ),
        ("broken_citation", "rules/house.yaml", line_with(folder, "rules/house.yaml", "nord.7")),
        (
            "broken_citation",
            "questions/nord.yaml",
            line_with(folder, "questions/nord.yaml", "nord.8"),
        ),
        ("broken_reference", "handbook/nord.md", line_with(folder, "handbook/nord.md", "§2.9")),
        ("duplicate_anchor", "handbook/nord.md", line_with(folder, "handbook/nord.md", "math")),
        ("foreign_anchor", "handbook/nord.md", line_with(folder, "handbook/nord.md", "math")),
        ("uncited_section", "handbook/nord.md", line_with(folder, "handbook/nord.md", "math")),
    }


def test_what_no_schema_takes_is_named_with_the_folders_own_file_and_line(tmp_path: Path) -> None:
    folder = tmp_path / "nord"
    found = planted(
        folder,
        ("gpus/cards.yaml", "vendor: nvidia", "vendor: nord"),
        ("gpus/cards.yaml", "tdp_w: 350", "tdp: 350"),
        ("catalogues/prices.yaml", "gpu: nord-card", "gpu: l4"),
        ("rules/house.yaml", "c.gpu == 'l4'", "c.gpuu == 'l4'"),
        ("questions/nord.yaml", "kind: enum", "kind: enumm"),
        ("handbook/nord.md", "## nord.1 ", "## sued.1 "),
    )

    places = {(file, line) for _, file, line in found}

    assert places >= {
        ("gpus/cards.yaml", line_with(folder, "gpus/cards.yaml", "vendor: nord")),
        ("gpus/cards.yaml", line_with(folder, "gpus/cards.yaml", "tdp: 350")),
        ("questions/nord.yaml", line_with(folder, "questions/nord.yaml", "enumm")),
        ("handbook/nord.md", line_with(folder, "handbook/nord.md", "sued.1")),
    }
    assert "foreign_section" in {code for code, _, _ in found}


def test_two_rules_of_one_id_in_one_folder(tmp_path: Path) -> None:
    twice = RULES + RULES.partition("rules:\n")[2]
    own = load_knowledge(overlays=[write_pack(tmp_path / "nord", rules=twice)])

    assert any(problem.key and "nord-no-l4" in problem.key for problem in check_rule_files(own))


def questions_of(folder: Path, group: str, question: str) -> tuple[Problem, ...]:
    """Return what is wrong when ``folder`` asks one question of a shipped group."""
    head = QUESTIONS.partition("questions:\n")[0].replace("group: nord", f"group: {group}")
    write_pack(folder, {**FILES, f"questions/{group}.yaml": ""})
    (folder / "questions" / "nord.yaml").write_text(QUESTIONS, encoding="utf-8")
    file = folder / "questions" / f"{group}.yaml"
    file.write_text(f"{head}questions:\n{question}", encoding="utf-8")
    shipped = load_knowledge().path / "questions"
    return tuple(check_questions(shipped, read_overlays([folder])))


CRASH = (
    "- key: tenancy.crash_isolation\n  text: Must it?\n  help: It may.\n  kind: bool\n"
    "  section: '3.2'\n"
)


@pytest.mark.parametrize(
    ("question", "field"),
    [
        (CRASH.replace("kind: bool", "kind: text"), "kind"),
        (CRASH + "  unit: usd\n", "unit"),
        (CRASH + "  list: true\n", "list"),
    ],
)
def test_a_shipped_question_keeps_what_code_relies_on(
    tmp_path: Path, question: str, field: str
) -> None:
    found = questions_of(tmp_path / "nord", "tenancy", question)

    assert [(problem.code, problem.key) for problem in found] == [
        ("changed_question", f"tenancy.crash_isolation.{field}")
    ]


def test_a_shipped_question_may_be_worded_otherwise(tmp_path: Path) -> None:
    assert questions_of(tmp_path / "nord", "tenancy", CRASH) == ()


def test_a_shipped_question_keeps_its_values(tmp_path: Path) -> None:
    question = (
        "- key: tenancy.tenants\n  text: Who?\n  help: Them.\n  kind: enum\n"
        "  values: [{id: single, label: One team}]\n  section: '8.2'\n"
    )

    [problem] = questions_of(tmp_path / "nord", "tenancy", question)

    assert problem.code == "changed_question"
    assert "untrusted" in problem.message


@pytest.mark.parametrize(
    "question",
    [CRASH.replace("tenancy.", "platform."), CRASH + CRASH],
    ids=["a key of another group", "a key twice"],
)
def test_a_question_stands_once_and_in_the_file_of_its_group(tmp_path: Path, question: str) -> None:
    assert "bad_question" in {p.code for p in questions_of(tmp_path / "nord", "tenancy", question)}


def test_a_default_that_is_not_legal_is_found_in_the_folders_own_file(tmp_path: Path) -> None:
    question = CRASH + "  default: perhaps\n  default_because: Who knows.\n"

    [problem] = questions_of(tmp_path / "nord", "tenancy", question)

    assert problem.file == f"{(tmp_path / 'nord').as_posix()}/questions/tenancy.yaml"


def test_advice_on_a_broken_folder_is_refused(tmp_path: Path) -> None:
    from advisor.answers.validate import read_answers
    from advisor.consult.advise import advise

    folder = write_pack(tmp_path / "nord", rules=RULES.replace("c.gpu ", "c.gpuu "))

    with pytest.raises(KnowledgeError) as caught:
        advise(read_answers({"ask": ["gpu"]}), load_knowledge(overlays=[folder]))

    assert caught.value.problems[0].file == f"{folder.as_posix()}/rules/house.yaml"


def test_the_error_for_no_folder_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        load_knowledge(overlays=[tmp_path / "nowhere"])


@pytest.mark.parametrize("name", ["rules/house.yaml", "handbook/nord.md", "gpus/cards.yaml"])
def test_a_file_that_is_no_text_is_named(tmp_path: Path, name: str) -> None:
    folder = write_pack(tmp_path / "nord")
    (folder / name).write_bytes(b"\xff\xfe\x00")

    [problem] = refused(folder)

    assert (problem.code, problem.file) == ("unreadable", f"{folder.as_posix()}/{name}")


def _all_faults(folder: Path) -> tuple[Problem, ...]:
    overlays = read_overlays([folder], keep_faults=True)
    return check_everything(load_knowledge().path, DAY, analyse=False, overlays=overlays).faults


@pytest.mark.parametrize("spoiled", ["handbook/nord.md", "version.yaml", "no version", "unread"])
def test_what_cannot_be_read_hides_no_other_fault(tmp_path: Path, spoiled: str) -> None:
    folder = write_pack(tmp_path / "nord")
    wrong = folder / "gpus" / "wrong.yaml"
    wrong.write_text("gpus:\n  - {id: x, memory: 3}\nsources: {}\n", encoding="utf-8")
    alone = {problem.code for problem in _all_faults(folder)}
    if spoiled == "no version":
        (folder / "version.yaml").unlink()
    elif spoiled == "unread":
        (folder / "gpuz.yaml").write_text("a: 1\n", encoding="utf-8")
    else:
        (folder / spoiled).write_bytes(b"\xff\xfe\x00")

    found = _all_faults(folder)

    code = {"no version": "missing_file", "unread": "unread_file"}.get(spoiled, "unreadable")
    assert code in {problem.code for problem in found}
    assert alone <= {problem.code for problem in found}
    assert any((problem.file or "").endswith("gpus/wrong.yaml") for problem in found)


def test_two_folders_of_one_name_are_checked_all_the_same(tmp_path: Path) -> None:
    first, second = write_pack(tmp_path / "one"), write_pack(tmp_path / "two")

    overlays = read_overlays([first, second], keep_faults=True)

    assert [fault.code for one in overlays for fault in one.faults] == ["duplicate_name"]
    assert len({one.name for one in overlays}) == 2
