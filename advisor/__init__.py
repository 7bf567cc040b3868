"""gpu-advisor: cited advice on GPUs for large-language-model workloads.

The root is cheap on purpose: nothing heavy is imported until a name below is used.

>>> import advisor
>>> advisor.__version__ == "0.1.0"
True
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
