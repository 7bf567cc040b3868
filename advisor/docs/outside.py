"""What may be told of a file that a block names, when that file cannot be used.

Pages may come from anybody, such as a pull request that a job of CI checks, and the job's report
may be public. A page must not make it show what stands in a file that is no answers file, nor
anything of a file outside of the page's own repository.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from advisor.errors import InputError, Problem

__all__ = ["without_content"]


def without_content(error: InputError, file: Path, folder: Path) -> InputError:
    """Return an error about ``file`` that shows none of what only the file's owner may read.

    Args:
        error: What is wrong with the file.
        file: Where it lies.
        folder: The folder of the page that names it.
    """
    if _is_inside(file, folder):
        return type(error)([_plain(problem) for problem in error.problems])
    first = error.problems[0]
    message = (
        "The file cannot be used. It lies outside of the page's repository, so what is wrong in "
        "it is not shown here."
    )
    return type(error)(Problem(first.code, message, file=first.file))


def _plain(problem: Problem) -> Problem:
    if problem.code != "not_a_mapping":
        return problem
    message = "The top level must be keys such as 'workload:' and 'hardware:'."
    return replace(problem, message=message)


def _is_inside(file: Path, folder: Path) -> bool:
    """Tell whether links and all, a file lies in the repository of a page.

    Where there is none, the page's folder and the one where the command runs take its place.
    """
    here, real = folder.resolve(), file.resolve()
    above = (one for one in (here, *here.parents) if (one / ".git").exists())
    repository = next(above, None)
    roots = (here, Path.cwd()) if repository is None else (repository,)
    return any(real.is_relative_to(root) for root in roots)
