"""What a run is of: the file `run.json` of its directory, and how two of them differ."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NoReturn

from pdl.decoding import JsonError, strict_json
from pdl.errors import FileError, Problem
from pdl.evaluation.encoding import case_of, record_json
from pdl.evaluation.records import CaseRecord, Column
from pdl.models.budget import Price
from pdl.replacing import replacing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pdl._types import Json

FILE = "run.json"
_FORMAT = "pdl eval"
_VERSION = 1


@dataclass(frozen=True)
class PromptPlan:
    """A prompt of a run: its name, version, answer's JSON Schema, and the names of its cases."""

    name: str
    fingerprint: str = ""
    schema: Json = None
    cases: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Manifest:
    """What a run is of.

    `digests` are those of the cases by name: of all that decides about a trial. `options` change
    what models answer, and how that is judged; `arguments` are those of the command, with which it
    can be resumed. `budget` has the last bound of the `cost` and `prices` by model, as JSON;
    `timeouts` are those that trials had, in seconds. `invalid` has the names or places of cases
    that are not asked.
    """

    name: str
    started: str
    prompts: tuple[PromptPlan, ...]
    columns: tuple[Column, ...]
    cases: tuple[CaseRecord, ...] = field(repr=False)
    digests: dict[str, str] = field(default_factory=dict, repr=False)
    repeats: int = 1
    options: dict[str, Json] = field(default_factory=dict)
    arguments: dict[str, Json] = field(default_factory=dict)
    budget: dict[str, Json] = field(default_factory=dict)
    timeouts: tuple[float, ...] = ()
    invalid: tuple[str, ...] = ()

    @property
    def asked(self) -> dict[str, Json]:
        """What changes what models answer: the options, and the server that the command names."""
        server = self.arguments.get("base_url")
        return self.options if server is None else {**self.options, "base_url": server}

    @property
    def prices(self) -> dict[str, Price]:
        """The prices that the run has. Raises TypeError or ValueError for what is none."""
        return {name: Price(**one) for name, one in self.budget.get("prices", {}).items()}

    @property
    def planned(self) -> int:
        """How many trials the run has."""
        counts = {one.name: len(one.cases) for one in self.prompts}
        return sum(counts[one.prompt] for one in self.columns) * self.repeats


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Write the manifest of a run, in one step. Raises OSError."""
    found: dict[str, Json] = {"format": _FORMAT, "version": _VERSION}
    for one in fields(manifest):
        found[one.name] = getattr(manifest, one.name)
    found["prompts"] = [vars(one) for one in manifest.prompts]
    found["cases"] = [record_json(one) for one in manifest.cases]
    text = json.dumps(found, indent=1, ensure_ascii=False)
    with replacing(directory / FILE) as file:
        file.write(text.encode("utf-8", "surrogatepass") + b"\n")


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of a run. Raises FileError if the directory has none."""
    path = directory / FILE
    try:
        text = path.read_bytes().decode("utf-8", "surrogatepass")
    except FileNotFoundError as error:
        message = f"{directory} is not a run of `pdl eval`: it has no {FILE}"
        hint = "name the directory that `pdl eval --out` wrote"
        raise FileError(Problem("file/run", message, hint=hint)) from error
    except (OSError, UnicodeDecodeError) as error:
        _refuse(path, getattr(error, "strerror", None) or "it is not UTF-8", error)
    try:
        value = strict_json(text)
        if value.get("format") != _FORMAT:
            _refuse(path, "it is not the manifest of a run")
        if value["version"] != _VERSION:
            _refuse(path, f"it has version {value['version']}, and {_VERSION} is known")
        found = _manifest(value)
        _ = found.prices  # which must be some
        return found  # noqa: TRY300 - all of it can raise
    except JsonError as error:
        _refuse(path, f"it {error}", error)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        _refuse(path, "it is damaged", error)


def _refuse(path: Path, why: str, error: Exception | None = None) -> NoReturn:
    hint = "name another directory, or restore the file"
    raise FileError(Problem("file/run", f"{path} can't be used: {why}", hint=hint)) from error


def _manifest(value: dict[str, Any]) -> Manifest:
    known = {one.name for one in fields(Manifest)}
    unknown = value.keys() - known - {"format", "version"}
    if unknown:
        raise KeyError(min(unknown))
    return Manifest(
        **{
            **{name: one for name, one in value.items() if name in known},
            "prompts": tuple(
                PromptPlan(**{**one, "cases": tuple(one["cases"])}) for one in value["prompts"]
            ),
            "columns": tuple(Column(*one) for one in value["columns"]),
            "cases": tuple(map(case_of, value["cases"])),
            "timeouts": tuple(value.get("timeouts", ())),
            "invalid": tuple(value.get("invalid", ())),
        }
    )


def changes(old: Manifest, new: Manifest) -> Iterator[str]:
    """Yield what differs in a way that old trials don't belong to the new run, each in a sentence.

    More prompts, models, cases, and repeats are no such change.
    """
    before, after = old.asked, new.asked
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name), after.get(name)
        if was != now:
            yield f"`{name}` was {_shown(was)}, and is {_shown(now)}"
    if new.repeats < old.repeats:
        yield f"there were {old.repeats} repeats, and are {new.repeats}"
    prompts = {one.name: one for one in new.prompts}
    for plan in old.prompts:
        found = prompts.get(plan.name)
        if found is None:
            yield f"the prompt `{plan.name}` is left out"
        elif found.fingerprint != plan.fingerprint:
            yield f"the prompt `{plan.name}` has another fingerprint"
    for column in old.columns:
        if column.prompt in prompts and column not in new.columns:
            yield f"`{column.prompt}` is not asked of `{column.model}`"
    yield from _changed_cases(old, new)


def _changed_cases(old: Manifest, new: Manifest) -> Iterator[str]:
    kept = {name for plan in new.prompts for name in plan.cases}
    for case in old.cases:
        if case.name not in new.digests or case.name not in kept:
            yield f"the case `{case.name}` is left out"
        elif new.digests[case.name] != old.digests.get(case.name):
            yield f"the case `{case.name}` has other data or expectations"


def _shown(value: Json) -> str:
    return "not set" if value is None else json.dumps(value, ensure_ascii=False)
