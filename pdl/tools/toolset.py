"""`ToolSet`: the tools of one prompt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

from pdl.errors import error_from
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.source import Source
from pdl.tools.formats import DEFAULT_FORMAT, Format, format_of
from pdl.tools.tool import ToolCall, name_problems, several

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Self

    from pdl.gbnf import Compiled, Options
    from pdl.reply import Coercions, Dialects
    from pdl.schema import Schema
    from pdl.tools.dispatch import Functions
    from pdl.tools.tool import Calls, Tool, ToolResult
    from pdl.tools.validate_calls import CallsCheck

# The methods import what they need when they are called: most programs use a few of them.
# ruff: noqa: PLC0415


@dataclass(frozen=True)
class ToolSet:
    """Tools in order, with unique names.

    Raises ToolError for a duplicate name, and for one that providers refuse (they accept 1 to 64
    ASCII letters, digits, `_` and `-`).
    """

    tools: tuple[Tool, ...]

    def __post_init__(self) -> None:
        """Refuse invalid names."""
        problems = list(name_problems((tool.name, None) for tool in self.tools))
        if problems:
            raise error_from(problems)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in order."""
        return tuple(tool.name for tool in self.tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Tool:
        """The tool of that name. Raises KeyError if there isn't one."""
        return self._by_name[name]

    @classmethod
    def parse(
        cls, dsl: str | Source, *, name: str = "<tools>", limits: Limits = DEFAULT_LIMITS
    ) -> Self:
        """Parse signatures of tools, and definitions of the types that they share.

        `navigate(action: "list" | "tree", directory?: str) // Navigate the code`: parameters are
        fields of the schema DSL. Text after `//` at the end of a line, or on its own lines above,
        describes the tool or the parameter. `Name = type` defines a type for all tools. The text
        can instead be a list of dicts, as `from_openai` takes it, in a ```json fence.

        Errors show `name` for text that is not a `Source`. Raises ToolError and SchemaError with
        all problems and their positions (PromptError for both kinds together), LimitError.
        """
        from pdl.tools.signatures import read_signatures

        if not isinstance(dsl, str | Source):
            raise TypeError(f"dsl must be a str or a pdl Source, not {type(dsl).__name__}")
        source = dsl if isinstance(dsl, Source) else Source(dsl, name)
        return cls(read_signatures(source, limits))

    @classmethod
    def from_functions(cls, *functions: Callable[..., Any]) -> Self:
        """Make a tool of each function: its name, its docstring, its parameters with their types.

        Parameters are described by the docstring (in the style of Google, NumPy or Sphinx) or by
        `Annotated[int, "…"]`; those with defaults are optional. `dispatch` calls the functions.
        Raises ToolError for `*args` and `**kwargs`, SchemaError for a type that has no schema.
        """
        from pdl.tools.functions import from_functions

        return cls(from_functions(functions))

    @classmethod
    def from_types(cls, *types: Any) -> Self:
        """Make a tool of each pydantic model, dataclass or TypedDict: name, docstring, fields.

        Checks run the validators and rules of the types; `ToolCall.value` is then the instance.
        Raises ToolError for a type without fields, SchemaError for one that has no schema.
        """
        from pdl.tools.functions import from_types

        return cls(from_types(types))

    @classmethod
    def from_openai(cls, tools: Any) -> Self:
        """Read a list of dicts as OpenAI takes it, in chat completions or responses.

        `[{"type": "function", "function": {"name": …, "description": …, "parameters": {…}}}]`, or
        the same fields without the inner dict. Raises ToolError, and SchemaError for parameters
        that are not a JSON Schema.
        """
        from pdl.tools.writing import read

        return cls(read(tools))

    @classmethod
    def from_mcp(cls, tools: Any) -> Self:
        """Read a list as an MCP server returns it, or its whole answer to `tools/list`.

        `[{"name": …, "description": …, "inputSchema": {…}}]`. Raises what `from_openai` raises.
        """
        from pdl.tools.writing import listed, read

        return cls(read(listed(tools)))

    def to_openai(self) -> list[dict[str, Any]]:
        """Return the list that OpenAI's chat completions, and most others, take as `tools`."""
        from pdl.tools.writing import to_openai

        return [to_openai(tool) for tool in self.tools]

    def to_mcp(self) -> list[dict[str, Any]]:
        """Return the list that an MCP server returns as `tools`."""
        from pdl.tools.writing import to_mcp

        return [to_mcp(tool) for tool in self.tools]

    def to_dsl(self) -> str:
        """Return the tools as signatures, as `parse` reads them, without a final newline.

        Raises SchemaError with each keyword that the DSL can't express, and its path.
        """
        from pdl.tools.writing import write_signatures

        return write_signatures(self.tools)

    def to_text(self) -> str:
        """The tools as `parse` reads them: signatures if these can say it all, else dicts."""
        from pdl.tools.writing import write_tools

        return write_tools(self.tools)

    def describe(self, format: str | Format = DEFAULT_FORMAT) -> str:  # noqa: A002 - the field's own word
        """Return a description of the tools, and of how to call one in that format.

        Use it for a model without native tool calling; for others, use `to_openai`. Raises
        ValueError for an unknown format.
        """
        from pdl.tools.writing import describe

        return describe(self.tools, format_of(format))

    def grammar(
        self,
        format: str | Format = DEFAULT_FORMAT,  # noqa: A002 - the field's own word
        calls: Calls = "one",
        *,
        schema: Schema | None = None,
        options: Options | None = None,
        strict: bool = False,
    ) -> Compiled:
        """Return the grammar of replies that call these tools, and the report of what it enforces.

        `calls`: `one`, `several` (one or more), or `any`: text that does not begin a call, and
        optional calls after it. With a `schema` the reply can be an answer that matches it instead
        of calls. `options` are those of `pdl.gbnf.compile`, by default for generation. The last 64
        grammars are cached. Raises ValueError for an unknown format, SchemaError for a tool whose
        arguments nothing satisfies, and what `pdl.gbnf.compile` raises.
        """
        from pdl.gbnf.compiling.options import Options
        from pdl.tools.grammar import compile_calls

        tools = tuple((tool.name, tool.schema) for tool in self.tools)
        asked = Options.generate() if options is None else options
        return compile_calls(tools, format_of(format), calls, schema, asked, strict=strict)

    def check(  # noqa: PLR0913 - the options of `pdl.check`, and two more
        self,
        reply: str,
        format: str | Format | None = None,  # noqa: A002 - the field's own word
        *,
        calls: Calls = "any",
        coercions: Coercions | None = None,
        dialects: Dialects | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallsCheck:
        """Find and check the calls in a reply, in one format or in any that is known.

        Arguments are read as `pdl.check` reads an answer: spelling can be repaired, data never is.
        A call is invalid if its tool is unknown, if its arguments do not match, if it is cut off,
        or if the reply only mentions it: as an example, denying it, in a sentence, in inline code
        or in a quotation. More than 1,000 calls are an error. `calls` is the number expected:
        `one`, `several` (one or more) or `any`. Never raises for a bad reply. Raises TypeError for
        arguments of other types, ValueError for an unknown format or number of calls.
        """
        from pdl.reply.segments.dialects import DIALECTS
        from pdl.tools.check_calls import check
        from pdl.tools.formats import CallPatterns
        from pdl.tools.validate_calls import CallValidator

        if not isinstance(reply, str):
            raise TypeError(f"reply must be a str, not {type(reply).__name__}")
        patterns = CallPatterns.of(None if format is None else format_of(format))
        known = DIALECTS if dialects is None else dialects
        return check(
            reply, patterns, CallValidator.of(self._by_name, coercions, limits), calls, known
        )

    def check_calls(
        self,
        calls: Iterable[ToolCall],
        *,
        wanted: Calls = "any",
        coercions: Coercions | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallsCheck:
        """Check calls that a provider returned separately from the text.

        Two calls with one ID are an error, and so are more than 1,000 of them. Arguments can be the
        text of a JSON object. Raises TypeError for values that are not a ToolCall.
        """
        from pdl.tools.check_calls import check_calls
        from pdl.tools.validate_calls import CallValidator

        validator = CallValidator.of(self._by_name, coercions, limits)
        return check_calls(several(calls, "check_calls"), validator, wanted)

    @cached_property
    def _by_name(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.tools}

    @overload
    def dispatch(
        self, call: ToolCall, functions: Functions | None = None, *, raise_errors: bool = False
    ) -> ToolResult: ...

    @overload
    def dispatch(
        self,
        call: Iterable[ToolCall],
        functions: Functions | None = None,
        *,
        raise_errors: bool = False,
    ) -> tuple[ToolResult, ...]: ...

    def dispatch(
        self,
        call: ToolCall | Iterable[ToolCall],
        functions: Functions | None = None,
        *,
        raise_errors: bool = False,
    ) -> ToolResult | tuple[ToolResult, ...]:
        """Run a call, or several in order, and return each result as text.

        Arguments are checked first, then converted to what the annotations of the function require
        (dates, enums, dataclasses, pydantic models). `functions` are given by name, or have the
        names of the tools; functions that the tools were made of don't have to be passed. An
        invalid call, and a function that raises, return a failed result that tells the model why
        in one line; with `raise_errors` the function's own error is raised. A result that is
        neither text nor JSON is a failed one. Raises ToolError for a tool without a function, and
        for one whose function is async; TypeError for values that are not a ToolCall.
        """
        from pdl.tools.dispatch import Dispatcher

        dispatcher = Dispatcher.of(self.tools, functions, raise_errors=raise_errors)
        if isinstance(call, ToolCall):
            return dispatcher.run(call)
        return tuple(map(dispatcher.run, several(call, "dispatch")))

    @overload
    async def dispatch_async(
        self, call: ToolCall, functions: Functions | None = None, *, raise_errors: bool = False
    ) -> ToolResult: ...

    @overload
    async def dispatch_async(
        self,
        call: Iterable[ToolCall],
        functions: Functions | None = None,
        *,
        raise_errors: bool = False,
    ) -> tuple[ToolResult, ...]: ...

    async def dispatch_async(
        self,
        call: ToolCall | Iterable[ToolCall],
        functions: Functions | None = None,
        *,
        raise_errors: bool = False,
    ) -> ToolResult | tuple[ToolResult, ...]:
        """The same if some functions are async; several calls are still run in order."""
        from pdl.tools.dispatch import Dispatcher

        dispatcher = Dispatcher.of(self.tools, functions, raise_errors=raise_errors)
        if isinstance(call, ToolCall):
            return await dispatcher.run_async(call)
        return tuple([await dispatcher.run_async(one) for one in several(call, "dispatch_async")])
