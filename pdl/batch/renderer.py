"""`Renderer`: a prompt rendered with the values of each row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pdl.batch.checker import schema_digest
from pdl.batch.columns import Column, SharedFunction
from pdl.batch.templates import Templates
from pdl.errors import PdlError, Problem
from pdl.models.payloads import FAMILIES
from pdl.reply import Coercions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.batch.columns import Cells, Columns
    from pdl.batch.templates import Data, RowValues
    from pdl.prompt import Prompt
    from pdl.schema.arrow_forms import Form


def _json_text() -> Form:
    from pdl.schema.arrow_forms import JSON_TEXT  # noqa: PLC0415 - needs pyarrow

    return JSON_TEXT


_JSON = ("messages", "schema", "config", "reasoning", "tools")
_COLUMNS = (
    *(Column(name, form=_json_text) for name in _JSON),
    *map(Column, ("form", "schema_digest", "fingerprint", "error")),
)
_BODY = Column("body", form=_json_text)


class Renderer(SharedFunction):
    """A function of batches that renders a prompt with the values of each row.

    `data` are the columns of the values, by default those that have names of the prompt's
    variables; `values` are the same for all rows. `keep` names columns that the result keeps (by
    default `id`, if there is one).

    A row has what `Rendered.to_json` returns: `messages`, `schema`, `config`, `reasoning`, and
    `tools` as JSON texts, `form`, and `fingerprint`; and `schema_digest`, as that of a `Checker`
    without coercions. With a `family` of providers, such as `openai`, it also has the `body` of the
    request as JSON text; `model` is the provider's name of the model, by default that of the config
    turn. `error` says why a row could not be rendered; the other cells are then null.

    Raises TypeError for arguments of other types, ValueError for an unknown family.
    """

    def __init__(  # noqa: PLR0913 - each is an option
        self,
        prompt: Prompt | Templates,
        *,
        data: Data = None,
        values: Mapping[str, Any] | None = None,
        family: str | None = None,
        model: str = "",
        prefill: bool = False,
        keep: Iterable[str] | None = None,
    ) -> None:
        if family is not None and family not in FAMILIES:
            raise ValueError(f"family must be one of {', '.join(FAMILIES)}, not {family!r}")
        given = prompt if isinstance(prompt, Templates) else Templates(prompt, data, values)
        self.templates = given
        self.family, self.model, self.prefill = family, model, prefill
        super().__init__((*_COLUMNS, *([_BODY] if family is not None else [])), keep)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that make an equal renderer."""
        options = {"family": self.family, "model": self.model, "prefill": self.prefill}
        return {"prompt": self.templates, "keep": self.keep, **options}

    @property
    def has_types(self) -> bool:  # type: ignore[override]
        """Whether it depends on classes of a program."""
        return self.templates.has_types

    def cells(self, batch: Columns) -> Cells:
        """Return the cells of the results."""
        rows = [self.render(values) for values in self.templates.rows(batch)]
        return [[row.get(column.name) for row in rows] for column in self.columns]

    def render(self, values: RowValues) -> dict[str, str | None]:
        """Return the cells of one row, by column."""
        if isinstance(values, Problem):
            return self._failed(str(values))
        try:
            return self._rendered(values)
        except (PdlError, TypeError, ValueError) as error:
            return self._failed(str(error))

    def _failed(self, message: str) -> dict[str, str | None]:
        return {"error": message, "fingerprint": self.templates.fingerprint}

    def _rendered(self, values: Mapping[str, Any]) -> dict[str, str | None]:
        rendered = self.templates.render(values, prefill=self.prefill)
        found = rendered.to_json()
        cells = {name: found[name] and compact(found[name]) for name in ("schema", "tools")}
        cells |= {name: compact(found[name]) for name in ("messages", "config", "reasoning")}
        if self.family is not None:
            cells["body"] = compact(rendered.to(self.family, self.model))
        return {
            **cells,
            "form": found["form"],
            "schema_digest": schema_digest(rendered.schema, Coercions()),
            "fingerprint": self.templates.fingerprint,
        }


def compact(value: Any) -> str:
    """Return JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
