"""Builds the kernel of the token masks, where a C compiler is ready; without it the wheel is pure.

`python hatch_build.py` builds it in place. `CC` and `CFLAGS` are those of other builds; with
`PDL_NATIVE=0` none is built, and with `PDL_NATIVE=require` it is an error if it can't be.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # as when it is run by hand
    BuildHookInterface = object

_FOLDER = Path(__file__).resolve().parent / "pdl" / "masks"
_SOURCE = _FOLDER / "kernel.c"  # which includes the others
_SOURCES = sorted(_FOLDER.glob("kernel*.[ch]"))
# Not `.so`: with that ending, Python takes it for a module where it looks for all of a package.
_BUILT = _FOLDER / ("_kernel.dll" if os.name == "nt" else "_kernel.native")
_SECONDS = 120


def build() -> str | None:
    """Build the kernel beside its source. Returns None, or why it could not be built."""
    try:
        with TemporaryDirectory(dir=_FOLDER) as folder:
            made = Path(folder) / _BUILT.name
            command = _command(folder, made)
            subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)  # noqa: S603
            made.replace(_BUILT)
    except subprocess.CalledProcessError as error:
        return error.stderr.decode(errors="replace") or str(error)
    except (OSError, subprocess.TimeoutExpired) as error:  # also of a folder that is read-only
        return str(error)
    return None


def _command(folder: str, made: Path) -> list[str]:
    """The call of the compiler."""
    source = b"".join(one.read_bytes() for one in _SOURCES)
    checksum = f"PDL_SOURCE={zlib.crc32(source)}u"
    flags = shlex.split(os.environ.get("CFLAGS", ""))
    if os.name == "nt":
        compiler = shlex.split(os.environ.get("CC", "cl"), posix=False)
        options = ["/nologo", "/O2", f"/D{checksum}", *flags, "/LD", f"/Fo{folder}\\"]
        return [*compiler, *options, str(_SOURCE), f"/Fe{made}"]
    compiler = shlex.split(os.environ.get("CC", "")) or _compiler()
    options = ["-O3", "-std=c11", "-fPIC", "-fvisibility=hidden", f"-D{checksum}", *flags]
    return [*compiler, *options, "-shared", "-o", str(made), str(_SOURCE)]


def _compiler() -> list[str]:
    """The C compiler of this machine."""
    return [next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), "cc")]


class KernelHook(BuildHookInterface):  # type: ignore[misc]  # any, without hatchling
    """The hook of hatchling: puts the kernel into the wheel, which is then one of a platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the kernel before the wheel."""
        del version
        wanted = os.environ.get("PDL_NATIVE") or "1"
        if wanted not in ("0", "1", "require"):
            message = f"PDL_NATIVE must be 0, 1 or require, not {wanted!r}"
            raise RuntimeError(message)
        if wanted == "0":
            return
        why = build()
        if why is None:
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
            build_data["artifacts"].append(f"pdl/masks/{_BUILT.name}")
        elif wanted == "require":
            raise RuntimeError(f"PDL_NATIVE is require, but the kernel can't be built: {why}")


if __name__ == "__main__":
    sys.exit(build())
