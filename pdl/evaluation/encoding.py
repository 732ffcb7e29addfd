"""The records of a run as JSON, and back.

Fields that have their default are left out, so that a line has what is worth reading.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any, get_args

from pdl.evaluation.records import (
    AttemptRecord,
    CaseRecord,
    Cell,
    ErrorRecord,
    FailureRecord,
    RepairRecord,
    Status,
    Trial,
)
from pdl.models.exchange import Flaw, Reply, Usage
from pdl.models.faults import Fault
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json

_KEPT = frozenset({"number", "name", "place", "status"})
"""Fields that are written in any case."""


def record_json(record: AttemptRecord | CaseRecord | Trial | Reply | Flaw) -> dict[str, Json]:
    """Return a record as a JSON object, without what it has by default."""
    found: dict[str, Json] = {}
    for one in fields(record):
        value = getattr(record, one.name)
        default = one.default if one.default_factory is MISSING else one.default_factory()
        if one.name in _KEPT or value != default:
            found[one.name] = _plain(value)
    return found


def _plain(value: Any) -> Json:
    if isinstance(value, AttemptRecord | Flaw):
        return record_json(value)
    if isinstance(value, Usage):
        return value.counts()
    if isinstance(value, ToolCall):
        return {"name": value.name, "arguments": dict(value.arguments), "id": value.id}
    if isinstance(value, ErrorRecord | RepairRecord | FailureRecord):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value


def trial_of(value: Mapping[str, Json]) -> Trial:
    """Return a trial of its JSON. Raises KeyError, TypeError, or ValueError for other JSON."""
    if value["status"] not in get_args(Status):
        raise ValueError(value["status"])
    return Trial(
        **{
            **value,
            "cell": cell_of(value["cell"]),
            "attempts": tuple(map(attempt_of, value["attempts"])),
            "judged": tuple(value.get("judged", ())),
            "accepted": tuple(value.get("accepted", ())),
            "unjudged": tuple(value.get("unjudged", ())),
            "failures": tuple(FailureRecord(**one) for one in value.get("failures", ())),
        }
    )


def cell_of(value: Json) -> Cell:
    """Return a cell of its JSON. Raises TypeError or ValueError for other JSON."""
    prompt, model, case, repeat = value
    return Cell(str(prompt), str(model), str(case), int(repeat))


def attempt_of(value: Mapping[str, Json]) -> AttemptRecord:
    """Return an attempt of its JSON. Raises KeyError, TypeError, or ValueError for other JSON."""
    errors = tuple(
        ErrorRecord(tuple(one["path"]), _span(one["span"]), one["message"])
        for one in value.get("errors", ())
    )
    repairs = tuple(
        RepairRecord(one["kind"], tuple(one["span"]), one["before"], one["after"])
        for one in value.get("repairs", ())
    )
    span = _span(value.get("span"))
    return AttemptRecord(**{**value, "errors": errors, "repairs": repairs, "span": span})


def _span(value: Json) -> tuple[int, int] | None:
    if value is None:
        return None
    start, end = value
    return int(start), int(end)


def case_of(value: Mapping[str, Json]) -> CaseRecord:
    """Return a case of its JSON. Raises TypeError for other JSON."""
    exact = value.get("exact")
    exact = None if exact is None else tuple(exact)
    return CaseRecord(**{**value, "exact": exact, "judges": tuple(value.get("judges", ()))})


def reply_of(value: Mapping[str, Json]) -> Reply:
    """Return a reply of its JSON. Raises TypeError for other JSON."""
    flaw = value.get("flaw")
    return Reply(
        **{
            **value,
            "calls": tuple(ToolCall(**call) for call in value.get("calls", ())),
            "usage": Usage(**value.get("usage", {})),
            "flaw": None if flaw is None else Flaw(**flaw),
        }
    )


def fault_json(fault: Fault) -> dict[str, Json]:
    """Return a fault as a JSON object."""
    told = {
        "hint": fault.problem.hint,
        "status": fault.status,
        "retry_after": fault.retry_after,
        "setting": fault.setting,
        "is_of_form": fault.is_of_form,
    }
    given = {name: one for name, one in told.items() if one not in {None, ""} and one is not False}
    return {"kind": fault.kind, "message": fault.problem.message, **given}


def fault_of(value: Mapping[str, Json]) -> Fault:
    """Return a fault of its JSON. Raises KeyError or TypeError for other JSON."""
    rest = {name: one for name, one in value.items() if name not in {"kind", "message"}}
    return Fault(value["kind"], value["message"], **rest)
