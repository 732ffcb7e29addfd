"""From the arguments of `ask` to its loop: the models, the schema, and the options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.models.ask_loop import AskLoop
from pdl.models.callables import model_of
from pdl.models.options import AskOptions, NoDefault
from pdl.models.request import Request, provider_and_name
from pdl.prompt.config import refuse_addresses
from pdl.prompt.rendered import Rendered
from pdl.schema.model import schema_of

if TYPE_CHECKING:
    from pdl.models.callables import Function
    from pdl.models.exchange import Model
    from pdl.models.options import AskKwargs

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
    default = None
    if not isinstance(options.default, NoDefault):
        from pdl.models.defaults import default_of  # noqa: PLC0415 - few asks have a default

        default = default_of(rendered.schema, options.default)
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
        origin=rendered.origin,
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
