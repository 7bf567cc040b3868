"""Sphinx with MyST: ``sphinx-build -E -W -c . docs build/sphinx``."""

project = "GPUs at our place"
extensions = ["myst_parser", "advisor.docs.sphinx_extension"]
myst_fence_as_directive = ["gpu-advice"]
gpu_advice_links = "handbook/"
html_theme = "alabaster"
# the pages have no toctree, which other generators would show as code
suppress_warnings = ["toc.not_included"]
