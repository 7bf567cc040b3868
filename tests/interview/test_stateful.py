"""Whatever is typed: no line raises, no answer is lost, nothing is concluded without a citation."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from interview_support import adviser, kept, store_in, texts

from advisor.interview.commands import COMMANDS
from advisor.interview.plain import card_lines, entry_lines, told_lines, turn_lines
from advisor.interview.session import Session
from advisor.interview.showing import view_of
from advisor.interview.view import EntryView, TurnView

ANSWERS = (
    "serving", "fine-tuning", "platform", "llama 3.1 8b", "llama 3.3 70b for 50 users at 16k",
    "one l40s we own", "0", "1", "2", "3", "1,3", "yes", "no", "8k", "50",
    "untrusted tenants on EKS", "?", "undo", "redo", "/unknown", "/skip",
    "/back 2", "/redo 3", "/restart", "/keep",
)  # fmt: skip
SETS = (
    "workload.concurrency=50", "concurrency=unknown", "hardware.gpu=l40s",
    "hardware.acquisition=owned", "hardware.gpu=[h100-sxm, l4]", "ask=[gpu]", "ask=[]",
    "tenancy.tenants=untrusted",
    "workloads=[{name: a, model: llama-3.1-8b}, {name: b, model: qwen3-8b}]", "nonsense=1",
    "workload.model=no-such-model", 'symptoms="CUDA out of memory. a = b"', "workload.kind=",
)  # fmt: skip
LOOKS = (
    "/why", "/how gpu", "/how sharing all", "/how nonsense", "/whynot mig", "/whynot h100-sxm",
    "/compare h100-sxm l40s", "/cite 7.3", "/cite 99", "/find passthrough", "/facts", "/so-far",
    "/open", "/open all", "/help", "/help edit", "/cases", "/copy pdf", "/export", "/quit",
    "/save a", "/save b c", "/save ..", "/nonsense", "/",
)  # fmt: skip


class Interviewing(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.store = store_in(self.folder)
        self.interview = kept(self.store)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def type(self, line: str) -> None:
        before = self.interview.session
        reply = self.interview.say(line)
        if not reply.accepted:
            assert self.interview.session is before
            assert line.strip() == "" or texts(reply).strip()
        if reply.entry is not None:
            assert list(entry_lines(reply.entry)) or not reply.entry.title

    @rule(line=st.sampled_from(ANSWERS))
    def answer(self, line: str) -> None:
        self.type(line)

    @rule(sets=st.lists(st.sampled_from(SETS), min_size=1, max_size=2))
    def set(self, sets: list[str]) -> None:
        self.type(f"/set {' '.join(sets)}")

    @rule(one=st.sampled_from(SETS), then=st.sampled_from(["/keep", "no", "yes", "8k", "/so-far"]))
    def what_if(self, one: str, then: str) -> None:
        before = self.interview.session
        self.type(f"/whatif {one}")
        assert self.interview.session is before
        self.type(then)

    @rule(
        number=st.integers(0, 5),
        line=st.sampled_from(ANSWERS),
        then=st.sampled_from(["yes", "no", "1", "0", "/facts"]),
    )
    def edit(self, number: int, line: str, then: str) -> None:
        before = self.interview.session
        self.type(f"/edit {number} {line}")
        assert self.interview.session is before
        self.type(then)
        if then in {"yes", "1"} and self.interview.session is not before and number:
            now = self.interview.session.turns
            if len(now) == len(before.turns):
                assert now[number:] == before.turns[number:]
                assert now[: number - 1] == before.turns[: number - 1]

    @rule(line=st.sampled_from(LOOKS))
    def look(self, line: str) -> None:
        before = self.interview.session
        self.type(line)
        assert self.interview.session is before

    @rule(
        line=st.text(max_size=30) | st.from_regex(r"/[a-z]{1,6} ?[a-z0-9.=]{0,8}", fullmatch=True)
    )
    def anything(self, line: str) -> None:
        self.type(line)

    @precondition(lambda self: self.interview.session.turns)
    @rule()
    def back_and_redo_is_where_one_was(self) -> None:
        self.interview.pending = None
        before = self.interview.session
        self.type("/back")
        self.type("/redo")
        assert self.interview.session == before

    @invariant()
    def what_is_on_disk_is_the_session(self) -> None:
        interview = self.interview
        if interview.case:
            assert interview.saved == "saved"
            assert self.store.load(interview.case).session == interview.session
        else:
            assert interview.session == Session()

    @invariant()
    def everything_concluded_is_cited_and_everything_can_be_shown(self) -> None:
        view = view_of(self.interview)
        for one in view.so_far:
            assert one.sections, one
        for entry in view.log:
            lines = [*turn_lines(entry)] if isinstance(entry, TurnView) else [*entry_lines(entry)]
            assert all(line.isprintable() for line in lines), lines
            if isinstance(entry, TurnView):
                assert entry.lines
                assert all(line.sections for line in entry.lines if line.sign in {"=", "~"})
            else:
                assert isinstance(entry, EntryView)
        if view.card is not None:
            assert list(card_lines(view.card))
            assert self.interview.pending is not None or view.left[1] >= 1
        else:
            assert list(told_lines(view.closing))


Interviewing.TestCase.settings = settings(
    max_examples=6,
    stateful_step_count=8,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
test_interviewing = Interviewing.TestCase
assert {command.name for command in COMMANDS} - {
    line.removeprefix("/").partition(" ")[0] for line in (*ANSWERS, *LOOKS)
} <= {"set", "whatif", "edit", "back", "redo", "unknown", "skip", "restart", "keep", "limits"}
adviser()
