"""Blocks worked out ahead, by several processes at once.

A block costs what its consultation costs, and no consultation needs another. Before pages are
built or checked, the blocks on them are shared out between copies of this process; what they
write is kept at the desk. Nothing but the time depends on it: what a copy could not do, for
whatever reason, is done again by whoever wants it, and its errors come from there.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import struct
import sys
import threading
from collections.abc import Hashable, Iterable, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.docs.blocks import find_blocks
from advisor.docs.files import read_source
from advisor.errors import InputError

if TYPE_CHECKING:
    from advisor.docs.desk import Desk, Order

__all__ = ["work_ahead"]

_WORTH_A_PROCESS = 6
"""Consultations below which another process is not worth its start."""
_COLLECT_AFTER = 50_000
"""Objects between two searches for garbage: consultations make many, hardly any in cycles, and
at Python's 700 an eighth of the time goes into looking (``benchmarks/docs_blocks.py``)."""

_TURN = struct.Struct("=I")
_MOST_TURNS = 8192
"""More would not go into a pipe at once; who reads a turn does every 8192nd group from it on."""

Group = list["Order"]
"""Orders that one consultation serves."""


def work_ahead(desk: Desk, pages: Iterable[Path], jobs: int | None = None) -> int:
    """Let several processes write what blocks will ask for; return how many there were.

    Args:
        desk: Who advises, and who keeps what was written.
        pages: Where the blocks are.
        jobs: The most processes to use; by default one for each core that may be used.
    """
    groups = _groups(desk, pages)
    count = min(jobs or _cores(), len(groups) // _WORTH_A_PROCESS)
    if count < 2 or not _can_copy():
        return 1
    _do(desk, groups[:1])  # reads the knowledge, which every copy then has
    _share_out(desk, groups[1:], count)
    return count


def _groups(desk: Desk, pages: Iterable[Path]) -> list[Group]:
    found: dict[Hashable, dict[object, Order]] = {}
    for page in pages:
        with contextlib.suppress(InputError):
            source = read_source(page)
            for block in find_blocks(source.lines, source.name).blocks if source else ():
                with contextlib.suppress(InputError):
                    order = desk.order(block.spec, page.parent)
                    if order.consultation is not None and not desk.has(order):
                        found.setdefault(order.consultation, {})[order.spec.options] = order
    return [list(orders.values()) for orders in found.values()]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _can_copy() -> bool:
    """Tell whether this process can be copied as it is: elsewhere a copy starts from nothing."""
    return sys.platform == "linux" and threading.active_count() == 1


def _share_out(desk: Desk, groups: Sequence[Group], count: int) -> None:
    """Take what ``count`` copies of this process make of ``groups``."""
    context = multiprocessing.get_context("fork")
    turns = _turns(len(groups))
    readers: list[Connection] = []
    copies = []
    for _ in range(count):
        reader, writer = context.Pipe(duplex=False)
        readers.append(reader)
        copy = context.Process(
            target=_copy, args=(desk, groups, turns, writer, tuple(readers)), daemon=True
        )
        copy.start()
        writer.close()  # so that the end of a copy is the end of what can be read from it
        copies.append(copy)
    os.close(turns)
    try:
        _collect(desk, groups, readers)
    finally:
        for copy in copies:
            copy.terminate()
            copy.join()


def _turns(groups: int) -> int:
    """Return a pipe that holds the numbers of all groups: whoever is free reads the next.

    Costs differ a hundredfold and sites are regular, so shares dealt out beforehand would not be
    even. Nothing has to be given back, whatever happens to who read it.
    """
    turns, end = os.pipe()
    for number in range(min(groups, _MOST_TURNS)):
        os.write(end, _TURN.pack(number))
    os.close(end)
    return turns


def _collect(desk: Desk, groups: Sequence[Group], readers: list[Connection]) -> None:
    while readers:
        for ready in wait(readers):
            assert isinstance(ready, Connection)  # noqa: S101 - nothing else is waited for
            try:
                number, texts = ready.recv()
            except (EOFError, OSError):
                readers.remove(ready)
                continue
            for order, text in zip(groups[number], texts, strict=True):
                if text is not None:
                    desk.keep(order, text)


def _copy(
    desk: Desk,
    groups: Sequence[Group],
    turns: int,
    writer: Connection,
    readers: Iterable[Connection],
) -> None:
    """Work on groups while there are any; ends by itself when nobody reads any more."""
    for reader in readers:
        reader.close()
    gc.freeze()  # what was there is shared and stays
    gc.set_threshold(_COLLECT_AFTER)
    with contextlib.suppress(KeyboardInterrupt, OSError):
        while turn := os.read(turns, _TURN.size):
            (first,) = _TURN.unpack(turn)
            for number in range(first, len(groups), _MOST_TURNS):
                writer.send((number, _do(desk, groups[number : number + 1])))


def _do(desk: Desk, groups: Iterable[Group]) -> list[str | None]:
    """Return the advice of each order; None for what fails, which is found again later."""
    texts: list[str | None] = []
    for order in (order for group in groups for order in group):
        try:
            texts.append(desk.markdown(order))
        except Exception:  # noqa: BLE001 - told by whoever wants the block
            texts.append(None)
    return texts
