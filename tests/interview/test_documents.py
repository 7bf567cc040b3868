from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import pytest
from interview_support import adviser, said, texts

from advisor.answers.validate import read_answers
from advisor.interview import clipboard
from advisor.interview.clipboard import copied, osc52
from advisor.interview.interview import Interview


@pytest.fixture
def interview() -> Interview:
    found = Interview(adviser())
    said(found, "serving", "llama 3.1 8b for 20 users at 8k", "/set hardware.gpu_memory_gib=24GB")
    return found


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("md", "#"), ("json", "{"), ("html", "<!doctype html>"), ("yaml", "workload:"), ("txt", "G")],
)
def test_the_ending_says_in_which_form_a_case_is_written(
    interview: Interview, tmp_path: Path, suffix: str, start: str
) -> None:
    path = tmp_path / f"the advice.{suffix}"
    reply = said(interview, f'/export "{path}"')

    assert texts(reply) == f"Written to {path}."
    assert path.read_text(encoding="utf-8").lower().startswith(start.lower())


def test_exported_answers_are_read_back_the_same(interview: Interview, tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    said(interview, "0", f"/export {path}")

    assert read_answers(path) == interview.session.answers
    again = Interview(adviser())
    again.become(again.session.__class__(start=read_answers(path)))
    assert again.session.answers == interview.session.answers
    assert again.ask == interview.ask


def test_a_file_that_is_there_is_overwritten_only_when_it_is_said_twice(
    interview: Interview, tmp_path: Path
) -> None:
    path = tmp_path / "advice.md"
    path.write_text("precious")
    reply = interview.say(f"/export {path}")

    assert not reply.accepted
    assert "--force" in texts(reply)
    interview.say(f"/export {tmp_path / 'other.md'}")
    assert not interview.say(f"/export {path}").accepted
    assert path.read_text() == "precious"
    said(interview, f"/export {path}")
    assert path.read_text() != "precious"
    path.write_text("precious")
    said(interview, f"/export --force {path}")
    assert path.read_text() != "precious"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/export", "Say where"),
        ("/export --force", "Say where"),
        ("/export advice", "by the ending"),
        ("/export /no/such/folder/x.md", "cannot be written"),
        ("/export \0.md", "cannot be written"),
        ("/copy pdf", "by the ending"),
    ],
)
def test_what_cannot_be_written_is_told(interview: Interview, line: str, why: str) -> None:
    reply = interview.say(line)

    assert not reply.accepted
    assert why in texts(reply)


def test_the_clipboard_of_the_terminal_gets_the_advice(
    interview: Interview, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(clipboard, "_by_tool", lambda *_: None)
    interview.terminal = io.StringIO()
    reply = said(interview, "/copy yaml")
    sent = interview.terminal.getvalue()

    assert "clipboard of the terminal" in texts(reply)
    assert sent.startswith("\x1b]52;c;")
    assert b"llama-3.1-8b" in base64.b64decode(sent.removeprefix("\x1b]52;c;").rstrip("\x07"))


def test_tmux_and_screen_pass_the_sequence_on() -> None:
    assert osc52("a", {"TERM": "xterm"}) == "\x1b]52;c;YQ==\x07"
    assert osc52("a", {"TMUX": "/run/x"}) == "\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\"
    assert osc52("a", {"TERM": "screen.xterm"}) == "\x1bP\x1b]52;c;YQ==\x07\x1b\\"


def test_what_is_too_long_for_a_terminal_goes_to_a_file() -> None:
    text = "x" * 80_000
    out = io.StringIO()
    where = copied(text, out, {"SSH_TTY": "/dev/pts/0"})
    path = Path(where.removeprefix("to ").partition(",")[0])

    assert out.getvalue() == ""
    assert path.read_text() == text
    assert path.stat().st_mode & 0o077 == 0
    path.unlink()


def test_a_program_of_the_desktop_takes_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "wl-copy"
    tool.write_text(f"#!/bin/sh\n/bin/cat > {tmp_path}/pasted\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    where = copied("é漢", None, {"WAYLAND_DISPLAY": "wayland-0"})

    assert where == "to the clipboard (by wl-copy)"
    assert (tmp_path / "pasted").read_text(encoding="utf-8") == "é漢"


def test_a_program_that_fails_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, code in (("wl-copy", 1), ("xsel", 0)):
        tool = tmp_path / name
        tool.write_text(f"#!/bin/sh\n/bin/cat > /dev/null\nexit {code}\n")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")

    where = copied("a", None, {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"})
    assert where == "to the clipboard (by xsel)"


def test_exported_json_is_the_consultation(interview: Interview, tmp_path: Path) -> None:
    said(interview, f"/export {tmp_path / 'x.JSON'}")
    told = json.loads((tmp_path / "x.JSON").read_text(encoding="utf-8"))

    assert told == interview.consultation.model_dump(mode="json", by_alias=True)


@pytest.mark.parametrize(("form", "ending"), [("yaml", ".yaml"), ("", ".md"), ("json", ".json")])
def test_a_copy_in_a_file_has_the_ending_of_its_form(
    form: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda _: None)
    interview = Interview(adviser())
    said(interview, "serving", f"/copy {form}")
    (written,) = tmp_path.iterdir()
    assert written.suffix == ending
