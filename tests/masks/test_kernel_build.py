"""The build of the kernel: with a compiler, a broken one, and in a folder that is read-only."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest

from pdl.masks import native

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The hook of the build, in a folder of its own."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("CFLAGS", raising=False)
    move(hook, tmp_path)
    return hook


def move(hook: Any, folder: Path) -> None:
    """Let the hook build in a folder."""
    hook._BUILT = folder / hook._BUILT.name  # noqa: SLF001 - which are fixed
    hook._FOLDER = folder  # noqa: SLF001


@pytest.mark.skipif(native.library("1") is None, reason="no C compiler was ready")
def test_it_is_built_from_the_source(
    hook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a compiler that is named with options, too; nothing else is left in the folder."""
    found = next(name for name in ("cc", "gcc", "clang", "cl") if shutil.which(name))
    monkeypatch.setenv("CC", f"{found} -O1" if found != "cl" else found)
    assert hook.build() is None
    (built,) = tmp_path.iterdir()
    made = ctypes.CDLL(str(built))
    made.pdl_source.restype = ctypes.c_uint32
    sources = sorted((ROOT / "pdl/masks").glob("kernel*.[ch]"))
    assert made.pdl_source() == crc32(b"".join(one.read_bytes() for one in sources))


@pytest.mark.parametrize("compiler", ["no-such-compiler", "python3 -c raise(SystemExit(1))"])
def test_a_compiler_that_is_none(
    hook: Any, compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hook says why, and leaves nothing behind."""
    monkeypatch.setenv("CC", compiler)
    assert hook.build()
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written(hook: Any, tmp_path: Path) -> None:
    """As in a container: the wheel is pure then."""
    move(hook, tmp_path / "missing")
    assert "missing" in hook.build()


@pytest.mark.parametrize(
    ("wanted", "compiler"), [("1", "no-such-compiler"), ("0", "cc"), ("", "no-such-compiler")]
)
def test_a_pure_wheel(
    hook: Any, wanted: str, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no tag of a platform, nor the library."""
    assert built(hook, wanted, compiler, monkeypatch) == {"artifacts": []}


def test_a_kernel_that_is_required(hook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="PDL_NATIVE is require, but the kernel can't be built"):
        built(hook, "require", "no-such-compiler", monkeypatch)


def built(
    hook: Any, wanted: str, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> dict[str, object]:
    """What the hook tells hatchling."""
    monkeypatch.setenv("PDL_NATIVE", wanted)
    monkeypatch.setenv("CC", compiler)
    data: dict[str, object] = {"artifacts": []}
    maker = hook.KernelHook.__new__(hook.KernelHook)
    maker.initialize("standard", data)
    return data
