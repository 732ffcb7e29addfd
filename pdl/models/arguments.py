"""From the arguments of `ask` to its loop: the models, the schema, and what the default must be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args, get_origin, is_typeddict

from pdl._types import format_path
from pdl.models.ask_loop import AskLoop, Default
from pdl.models.callables import model_of
from pdl.models.exchange import is_json
from pdl.models.options import AskOptions, NoDefault
from pdl.models.request import Request, provider_and_name
from pdl.prompt.config import refuse_addresses
from pdl.prompt.rendered import Rendered
from pdl.reply import violations
from pdl.schema.model import schema_of

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.models.callables import Function
    from pdl.models.exchange import Model
    from pdl.models.options import AskKwargs
    from pdl.schema import Schema

Askable: TypeAlias = "Model | Function | str"
"""A model, its name as `connect` reads it, or a function that takes a `Request`."""
Models: TypeAlias = "Askable | Sequence[Askable]"
"""A model, or several, each of which is asked if those before it failed."""


def loop_of(
    rendered: object, model: Models | None, schema: Any, given: AskKwargs, *, is_async: bool
) -> AskLoop:
    """Return the loop of a run. Raises what `ask` raises before anything is sent."""
    rendered = check_rendered(rendered)
    options = AskOptions.of(given)
    if not is_async:
        options.refuse_async()
    if schema is not None:
        rendered = replace(rendered, schema=schema_of(schema))
    if options.validate is not None:
        from pdl.reply.typed import with_rendered  # noqa: PLC0415 - only for rules

        options = replace(options, validate=with_rendered(options.validate, rendered))
    models = _models(rendered, model, options)
    default = _default(rendered.schema, options.default)
    return AskLoop(models, _request(rendered, options), options, default)


def check_rendered(rendered: object) -> Rendered:
    """Return a rendered prompt. Raises TypeError for anything else."""
    if isinstance(rendered, Rendered):
        return rendered
    kind = type(rendered).__name__
    raise TypeError(f"rendered must be a pdl.Rendered, as Prompt.render returns it, not {kind}")


def _request(rendered: Rendered, options: AskOptions) -> Request:
    refuse_addresses(rendered.config)
    config = {**rendered.config, **options.config}
    provider, model = provider_and_name(config.pop("model", ""))
    if options.seed is not None:
        config["seed"] = options.seed
    return Request(
        messages=rendered.messages,
        schema=rendered.schema,
        tools=rendered.tools if options.tools is None else options.tools,
        config=config,
        constrain=options.constrain,
        stream=options.streams,
        model=model,
        provider=provider,
    )


def _models(rendered: Rendered, given: Models | None, options: AskOptions) -> tuple[Model, ...]:
    """The models in their order. Raises ConfigError for one without a price under a bound."""
    several = given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not several:
        raise ValueError("model must not be an empty list")
    models = tuple(_model(rendered, one, options) for one in several)
    if options.budget is not None:
        options.budget.check_prices(model.name for model in models)
    return models


def _model(rendered: Rendered, given: object, options: AskOptions) -> Model:
    """A model that was given or, for None, that of the settings, the prompt, or the environment."""
    given = options.config.get("model") if given is None else given
    if given is not None:
        return model_of(given, options.limits)
    from pdl.models.connecting import model_named_by  # noqa: PLC0415 - functions need no registry

    return model_named_by(rendered, limits=options.limits)


def _default(schema: Schema | None, given: Any) -> Default | None:
    """The default as a value and as JSON; None if none was given.

    Raises TypeError for what is neither JSON nor an instance of the schema's type, ValueError for
    what no answer could be.
    """
    if isinstance(given, NoDefault):
        return None
    if given is None:
        return Default(None, None)
    data = given if is_json(given) else _json_of(schema, given)
    if schema is None:
        return Default(data, data)
    fault = default_fault(schema, data)
    if fault:
        raise ValueError(f"default must match the schema, or be None: {fault}")
    return Default(_typed(schema, data) if data is given else given, data)


def _json_of(schema: Schema | None, given: Any) -> Json:
    """The JSON of an instance of the schema's type."""
    from pdl.prompt.inputs import as_json  # noqa: PLC0415 - few defaults are instances
    from pdl.schema.annotations import unwrapped  # noqa: PLC0415
    from pdl.schema.records import json_default  # noqa: PLC0415

    form = None if schema is None else schema.python_type
    if schema is None or form is None:
        raise TypeError(f"default must be a JSON value, not {type(given).__name__}")
    form = unwrapped(form)
    while get_origin(form) is Annotated:
        form = unwrapped(get_args(form)[0])
    kind = get_origin(form) or form
    is_class = isinstance(kind, type) and kind is not UnionType and not is_typeddict(kind)
    if is_class and not isinstance(given, kind):
        wanted = f"JSON or an instance of {kind.__name__}"
        raise TypeError(f"default must be {wanted}, not {type(given).__name__}")
    found = [data for data in (json_default(given), as_json(given)) if is_json(data)]
    if not found:
        raise TypeError(f"default must be JSON, which this {type(given).__name__} cannot become")
    return next((data for data in found if not violations(schema, data)), found[0])


def default_fault(schema: Schema, default: Json) -> str:
    """Return the first error of a default, with its path; empty if it could be an answer."""
    from pdl.reply.rules import ConversionError  # noqa: PLC0415 - few asks have a default

    found = violations(schema, default)
    if not found:
        try:
            _typed(schema, default)
        except ConversionError as error:
            found = error.violations
    return next((f"`{format_path(one.path)}` {one.message}" for one in found), "")


def _typed(schema: Schema, data: Json) -> Any:
    """An instance of the schema's type, if it has one, else the JSON itself."""
    if schema.python_type is None:
        return data
    from pdl.reply.instances import convert  # noqa: PLC0415 - not for JSON

    return convert(schema.python_type, data)
