"""Hook of MkDocs: links to files of the repository that are not pages become their paths.

The pages are read in the repository too, where such links lead somewhere.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<path>\.\.?/[^)#\s]*)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401 - of MkDocs
    """Return the text of a page without links that leave the folder of all pages."""
    folder = posixpath.dirname(page.file.src_uri)

    def inside(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link["path"]))
        if not path.startswith("../"):
            return link[0]
        file, text = path.removeprefix("../"), link["text"]
        return text if file.strip("/") in text else f"{text} (`{file}`)"

    return _LINK.sub(inside, markdown)
