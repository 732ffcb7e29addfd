"""The random-weight model, in process: one load for all tests."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from pdl.models.llama import LlamaModel


@pytest.fixture(scope="session")
def tiny_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a model that says random things, and obeys grammars."""
    if sys.platform != "linux":
        pytest.skip("wheels of xllamacpp that the tests know are those of Linux")
    from tiny_model import write  # noqa: PLC0415  (it needs gguf, which is there on Linux alone)

    return write(tmp_path_factory.mktemp("llama") / "tiny.gguf")


@pytest.fixture(scope="session")
def tiny(tiny_file: Path) -> LlamaModel:
    from pdl.models.llama import LlamaModel  # noqa: PLC0415  (likewise)

    return LlamaModel(tiny_file)
