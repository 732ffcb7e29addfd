"""JSON Schema of pydantic's types. Imported only for such types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ForwardRef, get_args

from pydantic import TypeAdapter
from pydantic.errors import PydanticUndefinedAnnotation
from pydantic.json_schema import GenerateJsonSchema

from pdl.schema.annotations import RULES, with_rules
from pdl.schema.keywords import DEFINITIONS, nodes, subschemas, types_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdl._types import Json


class _WithoutTitles(GenerateJsonSchema):
    """Without titles, which only repeat the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def generate_inner(self, schema: Any) -> dict[str, Json]:
        """Add what a field says of a type whose schema is fixed, such as that of an IP address.

        Pydantic loses it inside of another type: in a union, or as the items of a list.
        """
        made = super().generate_inner(schema)
        said = schema.get("metadata", {}).get("pydantic_js_updates", {})
        return made if "$ref" in made else {**said, **made}

    def datetime_schema(self, schema: Any) -> dict[str, Json]:
        return _local(schema, super().datetime_schema(schema))

    def time_schema(self, schema: Any) -> dict[str, Json]:
        return _local(schema, super().time_schema(schema))

    def model_field_schema(self, schema: Any) -> dict[str, Json]:
        self._refuse_path(schema)
        return super().model_field_schema(schema)

    def dataclass_field_schema(self, schema: Any) -> dict[str, Json]:
        self._refuse_path(schema)
        return super().dataclass_field_schema(schema)

    def _refuse_path(self, field: Mapping[str, Any]) -> None:
        """Raise TypeError for a field that validation finds only inside of another one.

        JSON Schema would have its name as a key, which validation then ignores.
        """
        alias = field.get("validation_alias")
        by_name = any(
            getattr(self._config, one, None) for one in ("populate_by_name", "validate_by_name")
        )
        if not isinstance(alias, list) or by_name or any(_is_key(one) for one in alias):
            return
        path = alias[0] if isinstance(alias[0], list) else alias
        raise TypeError(
            f"a field is found only by the path {'.'.join(map(str, path))} (`AliasPath`), which its"
            " JSON Schema can't say: write a nested model, or set `populate_by_name=True`"
        )


def _is_key(choice: Any) -> bool:
    """Whether one of the choices of an alias is a single key."""
    return isinstance(choice, list) and len(choice) == 1 and isinstance(choice[0], str)


def _local(schema: Any, made: dict[str, Json]) -> dict[str, Json]:
    """The schema of a time, which can be local unless its type demands a zone."""
    demanded = schema.get("tz_constraint") not in (None, "naive")
    is_time = made.get("format") in ("date-time", "time")
    return {**made, "format": f"x-{made['format']}"} if is_time and not demanded else made


def model_schema(form: Any) -> dict[str, Json]:
    """Return the JSON Schema of a pydantic type, closed as all objects of the schema DSL are.

    A model that allows extra keys (`extra="allow"`) stays open. Raises TypeError for a type that
    has no JSON Schema.
    """
    try:
        document = TypeAdapter(form).json_schema(schema_generator=_WithoutTitles)
    except RecursionError:
        raise
    except (RuntimeError, PydanticUndefinedAnnotation) as error:
        raise TypeError(f"{_part(form, ())}{str(error).splitlines()[0]}") from error
    plain = getattr(form, "__origin__", form)  # without the metadata of `Annotated`
    pending: list[Json] = [document]
    while pending:
        node = pending.pop()
        _tidy(node, getattr(plain, "__name__", ""))
        pending += [inner for _, inner in subschemas(node) if isinstance(inner, dict)]
    _drop_absences(document)
    return document


def _part(form: Any, outer: tuple[Any, ...]) -> str:
    """The first field of a model that has no JSON Schema by itself, before the reason."""
    outer = (*outer, form)
    for name, field in getattr(form, "__pydantic_fields__", {}).items():
        if _names(field.annotation, outer):
            continue  # it fails in any case, because of another field
        try:
            TypeAdapter(field.annotation).json_schema()
        except (RuntimeError, PydanticUndefinedAnnotation):
            return f"its field `{name}`: {_part(field.annotation, outer)}"
    return ""


def _names(form: Any, classes: tuple[Any, ...]) -> bool:
    """Whether a type uses one of the classes, or might, since it is only a name."""
    known = isinstance(form, str | ForwardRef) or form in classes
    return known or any(_names(one, classes) for one in get_args(form))


def _tidy(node: dict[str, Json], name: str) -> None:
    for key, inner in node.get("$defs", {}).items():
        if _same_name(inner.get("title", ""), key):
            del inner["title"]
    if node.get("title") == name:
        del node["title"]
    rules = node.pop(RULES, [])
    said = node.get("description", "")  # that of a field replaces the one that has the rules
    node |= with_rules(node, [one for one in rules if one not in said])
    if "properties" in node:
        node.setdefault("additionalProperties", False)
    if "oneOf" in node and "discriminator" in node:
        # The discriminator distinguishes the branches, so at most one matches in any case.
        del node["discriminator"]
        node["anyOf"] = node.pop("oneOf")


def _drop_absences(document: dict[str, Json]) -> None:
    """Drop each default of null that its field does not accept: the key is then absent.

    `str | SkipJsonSchema[None] = None` is such a field.
    """
    for node in nodes(document):
        for field in node.get("properties", {}).values():
            is_null = isinstance(field, dict) and field.get("default", 0) is None
            if is_null and not _accepts_null(field, document.get("$defs", {}), 0):
                del field["default"]


def _accepts_null(schema: Json, definitions: Mapping[str, Json], depth: int) -> bool:
    """Whether null might fit a schema."""
    if not isinstance(schema, dict) or depth > len(definitions):
        return bool(schema)
    if "$ref" in schema:
        target = definitions.get(schema["$ref"].removeprefix(DEFINITIONS), True)
        return _accepts_null(target, definitions, depth + 1)
    if "anyOf" in schema:
        return any(_accepts_null(one, definitions, depth) for one in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return None in schema.get("enum", [schema.get("const")])
    return "null" in types_of(schema) or "type" not in schema


def _same_name(title: str, key: str) -> bool:
    letters = "".join(c if c.isalnum() else "_" for c in title)
    return bool(title) and key.endswith(letters)
