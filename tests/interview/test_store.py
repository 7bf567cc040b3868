from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interview_support import adviser, kept, said, store_in, texts

from advisor.answers.questions import UNKNOWN
from advisor.errors import InputError, UnknownNameError
from advisor.interview.case_place import case_name, cases_folder
from advisor.interview.interview import Interview
from advisor.interview.keeper import Keeper
from advisor.interview.session import Session, Turn, turn
from advisor.interview.store import Store, TakenError

NAME = "llama-3.1-8b-2026-11-30"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_in(tmp_path)


def file_of(store: Store, name: str = NAME) -> Path:
    return store.path(name)


def test_every_answer_is_on_disk_at_once(store: Store) -> None:
    interview = kept(store)

    for line in ("serving", "llama 3.1 8b", "0", "/skip", "/back"):
        interview.say(line)
        assert store.load(interview.case).session == interview.session


def test_nothing_is_written_before_there_is_something_to_keep(store: Store) -> None:
    said(kept(store), "/help", "/so-far", "/quit")

    assert store.names() == ()
    assert not store.folder.exists()


def test_a_case_is_named_after_its_model_and_the_day(store: Store) -> None:
    first, second = kept(store), kept(store)
    said(first, "serving")
    assert first.case == "serving-2026-11-30"
    said(first, "llama 3.1 8b")
    said(second, "llama 3.1 8b")

    assert (first.case, second.case) == (NAME, f"{NAME}-2")
    assert store.names() == (NAME, f"{NAME}-2")


def test_a_case_file_is_readable_and_says_what_was_said(store: Store) -> None:
    said(kept(store), "llama 3.1 8b")
    document = json.loads(file_of(store).read_text(encoding="utf-8"))

    assert document["turns"][0]["said"] == "llama 3.1 8b"
    assert document["turns"][0]["answers"] == {"workload.model": "llama-3.1-8b"}
    assert document["decided"]["gpu"]["status"] == "provisional"


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_cases_are_for_the_eyes_of_the_user_alone(store: Store) -> None:
    said(kept(store), "llama 3.1 8b")

    assert stat.S_IMODE(file_of(store).stat().st_mode) == 0o600
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_a_crash_between_writing_and_replacing_leaves_the_old_case(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    interview = kept(store)
    said(interview, "llama 3.1 8b")
    before = file_of(store).read_bytes()

    class PowerCut(BaseException):
        pass

    def cut(*_: object) -> None:
        raise PowerCut

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", cut)
        with pytest.raises(PowerCut):
            interview.say("serving")

    assert file_of(store).read_bytes() == before
    assert store.names() == (NAME,)
    assert len(store.load(NAME).session.turns) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"format": "gpu-advisor case", "version": 1, "na', "cut short"),
        ("", "cut short"),
        ("[1, 2]", "something else"),
        ('{"a": 1}', "something else"),
        ('{"format": "gpu-advisor case", "version": 2}', "version is 2"),
        ('{"format": "gpu-advisor case", "version": 1, "name": "x"}', "Field required"),
        ("[" * 100_000, "no text that was written here"),
    ],
)
def test_a_foreign_file_is_a_clear_error_and_is_never_destroyed(
    store: Store, text: str, why: str
) -> None:
    said(kept(store), "llama 3.1 8b")
    bad = store.path("bad")
    bad.write_text(text, encoding="utf-8")

    with pytest.raises(InputError) as caught:
        store.load("bad")
    [problem] = caught.value.problems
    assert problem.file == str(bad)
    assert why in problem.message
    assert [(one.name, one.good) for one in store.listed()] == [(NAME, True), ("bad", False)]
    assert store.newest().name == NAME
    assert store.free("bad") == "bad-2"
    assert bad.read_text(encoding="utf-8") == text


def test_bytes_that_are_no_text_are_a_clear_error(store: Store) -> None:
    store.folder.mkdir(parents=True)
    store.path("bad").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(InputError, match="no text"):
        store.load("bad")


def test_a_case_that_was_damaged_meanwhile_is_left_and_the_interview_goes_on(store: Store) -> None:
    interview = kept(store)
    said(interview, "llama 3.1 8b")
    file_of(store).write_text("cut sh", encoding="utf-8")

    reply = said(interview, "serving")

    assert interview.case == f"{NAME}-2"
    assert f"goes on as {NAME}-2" in texts(reply)
    assert file_of(store).read_text(encoding="utf-8") == "cut sh"
    assert store.load(interview.case).session == interview.session


def test_two_sessions_on_one_case_never_write_over_one_another(store: Store) -> None:
    said(kept(store), "llama 3.1 8b")
    case = store.load(NAME)
    first, second = (
        Interview(adviser(), case.session, keeper=Keeper(store, store.load(NAME))) for _ in range(2)
    )

    said(first, "serving")
    reply = second.say("fine-tuning")

    assert (first.case, second.case) == (NAME, f"{NAME}-2")
    assert "changed by another session" in texts(reply)
    assert second.saved == "saved"
    assert store.load(NAME).session == first.session
    assert store.load(f"{NAME}-2").session == second.session
    assert said(second, "/back").notes == ()


def test_a_case_that_somebody_deleted_is_written_again(store: Store) -> None:
    interview = kept(store)
    said(interview, "llama 3.1 8b")
    file_of(store).unlink()
    said(interview, "serving")

    assert store.load(NAME).session == interview.session


def test_a_new_file_is_never_written_over_another(store: Store) -> None:
    interview = kept(store)
    said(interview, "llama 3.1 8b")
    case = store.load(NAME)

    with store.locked(), pytest.raises(TakenError):
        store.put(case, None)


def test_without_a_disk_the_interview_goes_on_and_says_so_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = Store(tmp_path / "file" / "cases")
    interview = kept(store)

    first, second = interview.say("llama 3.1 8b"), interview.say("serving")

    assert interview.saved.startswith("not saved: ")
    assert texts(first).startswith("Not saved: ")
    assert second.notes == ()
    assert len(interview.session.turns) == 2
    (tmp_path / "file").unlink()
    assert "Saved again" in texts(interview.say("0"))
    assert store.load(interview.case).session == interview.session


def test_a_lock_that_is_never_let_go_does_not_hang(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("advisor.interview.store._held", lambda _: False)
    monkeypatch.setattr("time.sleep", lambda _: None)
    interview = kept(store)
    interview.say("llama 3.1 8b")

    assert interview.saved == "not saved: another session is writing"


def test_a_case_is_renamed_and_the_old_name_is_free(store: Store) -> None:
    interview = kept(store)
    said(interview, "llama 3.1 8b", "/save Chat für 8B")

    assert interview.case == "chat-für-8b"
    assert store.names() == ("chat-für-8b",)
    said(interview, "serving")
    assert store.load("chat-für-8b").session == interview.session


@pytest.mark.parametrize(
    ("name", "why"), [("...", "needs a letter"), ("taken", "already"), ("", "Say the name")]
)
def test_a_name_that_cannot_be_had_is_refused(store: Store, name: str, why: str) -> None:
    other = kept(store)
    said(other, "serving", "/save taken")
    interview = kept(store)
    said(interview, "llama 3.1 8b")
    reply = interview.say(f"/save {name}")

    assert not reply.accepted
    assert why in texts(reply)
    assert interview.case == NAME
    assert store.load("taken").session == other.session


def test_a_restart_keeps_the_old_case_and_back_returns_to_it(store: Store) -> None:
    interview = kept(store)
    said(interview, "llama 3.1 8b", "serving")
    old = interview.session
    said(interview, "/restart")

    assert interview.session == Session()
    assert interview.case == ""
    said(interview, "fine-tuning")
    assert store.load(NAME).session == old
    assert interview.case == "fine_tuning-2026-11-30"
    said(interview, "/back", "/back")
    assert (interview.case, interview.session) == (NAME, old)


def test_an_unknown_case_names_the_nearest(store: Store) -> None:
    said(kept(store), "llama 3.1 8b", "/save chat-70b")

    with pytest.raises(UnknownNameError) as caught:
        store.load("chat-7ob")
    assert caught.value.problems[0].nearest == ("chat-70b",)


def test_the_newest_case_is_the_one_kept_last(store: Store) -> None:
    with pytest.raises(UnknownNameError):
        store.newest()
    first, second = kept(store), kept(store)
    said(first, "llama 3.1 8b")
    said(second, "serving")
    said(first, "serving")

    assert store.newest().name == first.case
    assert [one.name for one in store.listed()] == [first.case, second.case]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Chat 70B", "chat-70b"),
        ("../../etc/passwd", "etc-passwd"),
        ("meta-llama/Llama-3.1-8B", "meta-llama-llama-3.1-8b"),
        (".hidden", "hidden"),
        ("CON", "case-con"),
        ("nul.json", "case-nul.json"),
        ("案件 1", "案件-1"),
        ("\x00\x1b[31m", "31m"),
        ("x" * 500, "x" * 60),
    ],
)
def test_names_are_good_file_names_everywhere(text: str, name: str) -> None:
    assert case_name(text) == name


@given(st.text())
def test_every_name_stays_in_its_folder_and_is_its_own_name(text: str) -> None:
    name = case_name(text)

    assert case_name(name) == name
    assert "/" not in name
    assert "\\" not in name
    assert not name.startswith(".")
    assert len(name.encode()) <= 200


def test_the_folder_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")

    def folder(**environment: str) -> str:
        return os.fspath(cases_folder(environment))

    assert folder(GPU_ADVISOR_DATA="/x") == "/x/cases"
    assert folder(XDG_DATA_HOME="/y") == "/y/gpu-advisor/cases"
    assert folder(XDG_DATA_HOME="relative") == f"{tmp_path}/.local/share/gpu-advisor/cases"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder() == f"{tmp_path}/Library/Application Support/gpu-advisor/cases"


TURNS = [
    turn("70b", {"workload.model": "llama-3.3-70b"}, asked="workload.model", topic="task"),
    turn("?", {"workload.concurrency": UNKNOWN}, asked="workload.concurrency", topic="load"),
    turn("24 GB", {"hardware.gpu_memory_gib": "24 GB", "hardware.gpu": ["h100-sxm", "l4"]}),
    turn("é漢🙂 \u202e", {"tenancy.confidential": "no"}, understood={"tenancy.confidential": "No"}),
    turn(
        "env", {"platform.env": {"NCCL_DEBUG": "INFO", "B": "~"}, "platform.cuda_version": "1.30"}
    ),
    turn("loads", {"workloads": [{"name": "a", "duty": "idle"}, {"name": "1e5"}]}),
    turn("limit", {"objectives.budget_usd_per_hour": 1.1, "symptoms": ["a: b\n c", "yes"]}),
]


@given(
    st.lists(st.sampled_from(TURNS), max_size=5),
    st.lists(st.sampled_from(TURNS), max_size=3),
    st.sets(st.sampled_from(["workload.kind", "tenancy.duty"])),
)
def test_what_is_read_back_is_what_was_written(
    tmp_path_factory: pytest.TempPathFactory,
    turns: list[Turn],
    undone: list[Turn],
    skipped: set[str],
) -> None:
    store = store_in(tmp_path_factory.mktemp("case"))
    start = Session().answered(TURNS[2]).answered(TURNS[1]).answers
    session = Session(start, tuple(turns), tuple(undone), tuple(sorted(skipped)))
    keeper = Keeper(store)
    keeper.keep(session, adviser().consult(Session().answers))
    read = store.load(keeper.name).session

    assert read == session
    assert read.answers == session.answers
    assert read.start.origin == session.start.origin
