"""Advice blocks in Markdown: one render, and thin ways into pages and site generators.

``block_markdown`` turns a consultation into short Markdown. ``pages`` keeps blocks between two
comments current, or says what moved. ``python_markdown`` (MkDocs, Material, Zensical),
``markdown_it_plugin`` and ``sphinx_extension`` (MyST) render fenced ``gpu-advice`` blocks. All
of them read a block through ``spec`` and advise through ``desk``.
"""
