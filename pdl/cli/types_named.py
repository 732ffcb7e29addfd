"""`--type MODULE:NAME`: a Python type as the command line names it."""

from __future__ import annotations

import contextlib
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import pdl
from pdl.errors import FileError, Problem, did_you_mean

if TYPE_CHECKING:
    from types import ModuleType

    from pdl.schema import Schema


@dataclass(frozen=True)
class TypeOrigin:
    """A type by the name of its module and its name in it: `app.models:Person`."""

    name: str

    def read(self) -> Schema:
        """The schema of the type. The module is imported, and so its code runs.

        Raises FileError for what cannot be imported or is not there, SchemaError for a type without
        a schema, UsageError for another name.
        """
        module, colon, path = self.name.partition(":")
        if not colon or not path or not all(part.isidentifier() for part in module.split(".")):
            raise click.UsageError(
                f"--type: expected MODULE:NAME, such as app.models:Person, found `{self.name}`"
            )
        if not all(part.isidentifier() for part in path.split(".")):
            hint = f"give it a name in the module, `Answer = {path}`, and take `{module}:Answer`"
            raise _failure("type", f"--type: `{path}` is no name in `{module}`", hint)
        found: Any = _imported(module)
        for step in path.split("."):
            if not hasattr(found, step):
                hint = did_you_mean(step, [one for one in dir(found) if not one.startswith("_")])
                raise _failure("type", f"--type: there is no `{step}` in `{module}`", hint)
            found = getattr(found, step)
        return pdl.Schema.from_type(found)


def _imported(name: str) -> ModuleType:
    """A module, of the current folder before those that are installed, as `python -m` has it.

    What it prints goes to the standard error: the standard output is for the result.
    """
    sys.path.insert(0, str(Path.cwd()))
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        missing = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
        if missing and (name == missing or name.startswith(f"{missing}.")):
            hint = "it is looked for in the current folder and among what is installed"
            raise _failure("no-module", f"--type: there is no module `{missing}`", hint) from error
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        message = f"--type: the module `{name}` cannot be imported: {said}"
        raise _failure("import", message) from error
    finally:
        sys.path.pop(0)


def _failure(code: str, message: str, hint: str = "") -> FileError:
    return FileError(Problem(f"file/{code}", message, None, hint))
