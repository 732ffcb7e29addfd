"""`--registry`: the schemas of other documents, that those of `--json-schema` refer to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.cli.texts import parse_json, read_text
from pdl.errors import FileError, Problem
from pdl.limits import DEFAULT_LIMITS
from pdl.schema.json_schema.load import check_size
from pdl.schema.spans import located

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json
    from pdl.source import Source


@dataclass(frozen=True)
class Registry:
    """Schemas by the URIs that references name, and the files that they were read from."""

    schemas: dict[str, Json] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)

    @classmethod
    def read(cls, names: tuple[str, ...]) -> Registry:
        """The schemas of files and folders, each by its `$id` and by its path in the folder.

        A folder has those of its `.json` files, at any depth. Raises FileError for what cannot be
        read and where two different schemas have one URI, LimitError for what is too long.
        """
        found = cls()
        for name in names:
            for file, path in _files(Path(name)):
                found._add(file, path)
        return found

    def _add(self, file: Path, path: str) -> None:
        source = read_text(str(file))
        check_size(source, DEFAULT_LIMITS)
        schema = parse_json(source)
        own = schema.get("$id", schema.get("id")) if isinstance(schema, dict) else None
        for uri in (path, own.removesuffix("#") if isinstance(own, str) else path):
            if self.schemas.setdefault(uri, schema) != schema:
                message = f"{file}: another schema of --registry is `{uri}` as well: "
                raise FileError(Problem("file/registry", message + self.sources[uri].name))
            self.sources.setdefault(uri, source)

    def located(self, problem: Problem) -> Problem:
        """A problem in one of the schemas, with its place."""
        uri, mark, place = problem.pointer.partition("#")
        if problem.span is not None or uri not in self.sources:
            return problem
        here = Problem(problem.code, problem.message, None, problem.hint, mark + place)
        return located([here], self.sources[uri])[0]


def _files(name: Path) -> Iterator[tuple[Path, str]]:
    """A file, or those of a folder, each with its path in the folder."""
    if name.is_dir():
        for file in sorted(name.rglob("*.json")):
            yield file, file.relative_to(name).as_posix()
    else:
        yield name, name.name
