"""`ToolSet`: the tools of one prompt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

from pdl.errors import error_from
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.source import Source
from pdl.tools.formats import DEFAULT_FORMAT, Format, format_of
from pdl.tools.tool import name_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Self

    from pdl.gbnf import Compiled, Options
    from pdl.reply import Coercions, Dialects
    from pdl.schema import Schema
    from pdl.tools.check_calls import Wanted
    from pdl.tools.dispatch import Functions
    from pdl.tools.grammar import Calls
    from pdl.tools.tool import Tool, ToolCall, ToolResult
    from pdl.tools.validate_calls import CallsCheck

# The methods import what they need when they are called: most programs use a few of them.
# ruff: noqa: PLC0415


@dataclass(frozen=True)
class ToolSet:
    """Tools in their order, each with a name of its own.

    Raises ToolError for a name that two of them have, and for one that providers refuse (they take
    1 to 64 letters without accents, digits, `_` and `-`).
    """

    tools: tuple[Tool, ...]

    def __post_init__(self) -> None:
        """Refuse names that cannot work."""
        problems = list(name_problems((tool.name, None) for tool in self.tools))
        if problems:
            raise error_from(problems)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in their order."""
        return tuple(tool.name for tool in self.tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Tool:
        """The tool of that name; KeyError if there is none."""
        return self._by_name[name]

    @classmethod
    def parse(
        cls, dsl: str | Source, *, name: str = "<tools>", limits: Limits = DEFAULT_LIMITS
    ) -> Self:
        """The tools that signatures describe, one after the other, and names that they share.

        `navigate(action: "list" | "tree", directory?: str) // Navigate the code`: parameters are
        fields of the schema notation. What stands behind `//` at the end of a line, or on lines of
        its own above, describes the tool or the parameter. `Name = type` defines a type for all.
        The text may instead be a list of dicts, as `from_openai` takes it, in a ```json fence.

        `name` is what errors call a text that is no `Source`. Raises ToolError and SchemaError
        with all problems and their places (PromptError for both kinds at once), LimitError.
        """
        from pdl.tools.signatures import read_signatures

        if not isinstance(dsl, str | Source):
            raise TypeError(f"dsl must be a str or a pdl Source, not {type(dsl).__name__}")
        source = dsl if isinstance(dsl, Source) else Source(dsl, name)
        return cls(read_signatures(source, limits))

    @classmethod
    def from_functions(cls, *functions: Callable[..., Any]) -> Self:
        """A tool for each function: its name, its docstring, its parameters with their types.

        Parameters are described by the docstring (of Google's, NumPy's or Sphinx's kind) or by
        `Annotated[int, "…"]`; those with defaults are optional. `dispatch` calls the functions.
        Raises ToolError for `*args` and `**kwargs`, SchemaError for a type that has no schema.
        """
        from pdl.tools.functions import from_functions

        return cls(from_functions(functions))

    @classmethod
    def from_types(cls, *types: Any) -> Self:
        """A tool for each pydantic model, dataclass or TypedDict: its name, docstring, fields.

        Raises ToolError for a type without fields, SchemaError for one that has no schema.
        """
        from pdl.tools.functions import from_types

        return cls(from_types(types))

    @classmethod
    def from_openai(cls, tools: Any) -> Self:
        """The tools of a list of dicts as OpenAI takes it, in chat completions or responses.

        `[{"type": "function", "function": {"name": …, "description": …, "parameters": {…}}}]`, or
        the same fields without the inner dict. Raises ToolError, and SchemaError for parameters
        that are no JSON Schema.
        """
        from pdl.tools.writing import read

        return cls(read(tools))

    @classmethod
    def from_mcp(cls, tools: Any) -> Self:
        """The tools of a list as an MCP server gives it, or of its whole answer to `tools/list`.

        `[{"name": …, "description": …, "inputSchema": {…}}]`. Raises what `from_openai` raises.
        """
        from pdl.tools.writing import listed, read

        return cls(read(listed(tools)))

    def to_openai(self) -> list[dict[str, Any]]:
        """The list that OpenAI's chat completions take as `tools`, and most others do as well."""
        from pdl.tools.writing import to_openai

        return [to_openai(tool) for tool in self.tools]

    def to_mcp(self) -> list[dict[str, Any]]:
        """The list that an MCP server gives as `tools`."""
        from pdl.tools.writing import to_mcp

        return [to_mcp(tool) for tool in self.tools]

    def to_dsl(self) -> str:
        """The tools as signatures, as `parse` reads them, without a final newline.

        Raises SchemaError with each keyword that the notation has no way to write, and its path.
        """
        from pdl.tools.writing import write_signatures

        return write_signatures(self.tools)

    def to_text(self) -> str:
        """The tools as `parse` reads them: signatures if these can say it all, else dicts."""
        from pdl.tools.writing import write_tools

        return write_tools(self.tools)

    def describe(self, format: str | Format = DEFAULT_FORMAT) -> str:  # noqa: A002 - the field's own word
        """The tools in words for a model, and how it calls one in that format.

        For a model whose provider knows nothing of tools; others take `to_openai`. Raises
        ValueError for a format that there is not.
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
        """The grammar of replies that call these tools, and the report of what it holds.

        `calls`: `one`, `several` (one or more), or `any`: text that does not begin a call, and
        then perhaps calls. With a `schema` the reply may be an answer that fits it instead of
        calls. `options` are those of `pdl.gbnf.compile`, by default for what a model writes. The
        last 64 grammars are kept. Raises ValueError for a format that there is not, SchemaError
        for a tool whose arguments nothing satisfies, and what `pdl.gbnf.compile` raises.
        """
        from pdl.gbnf.compiling.options import Options
        from pdl.tools.grammar import compile_calls

        tools = tuple((tool.name, tool.schema) for tool in self.tools)
        asked = Options.generate() if options is None else options
        return compile_calls(tools, format_of(format), calls, schema, asked, strict=strict)

    def check(  # noqa: PLR0913 - the options of `pdl.check`, and two of its own
        self,
        reply: str,
        format: str | Format | None = None,  # noqa: A002 - the field's own word
        *,
        calls: Wanted = "any",
        coercions: Coercions | None = None,
        dialects: Dialects | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallsCheck:
        """The calls that a reply holds, in a format or, without one, in any that is known.

        Arguments are read as `pdl.check` reads an answer: spelling may be repaired, data never is.
        A call is wrong if no tool has its name, if its arguments do not fit, if it is cut off, or
        if the reply speaks of it: as an example, denying it, in a sentence, in inline code or in a
        quotation. More than 1,000 calls are an error. `calls` says how many are wanted:
        `one`, `several` (one or more) or `any`. Never raises for a bad reply. Raises TypeError for
        arguments of other types, ValueError for a format or a number of calls that there is not.
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
        wanted: Wanted = "any",
        coercions: Coercions | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> CallsCheck:
        """Calls that a provider gave apart from the text, held against the tools.

        Two calls with one id are an error, and so are more than 1,000 of them. Arguments may be the
        text of a JSON object. Raises TypeError for what is no ToolCall.
        """
        from pdl.tools.check_calls import check_calls
        from pdl.tools.tool import several
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
        """Run a call, or several one after the other, and give what came of each as text.

        Arguments are checked first, then become what the annotations of the function ask for
        (dates, enums, dataclasses, pydantic models). `functions` are by name, or have the names of
        the tools; those that the tools were made of need not be given. A call that is wrong, and a
        function that raises, give a failed result, which tells the model why in a line; with
        `raise_errors` the function's own error is raised. A result that is neither text nor JSON
        is a failed one. Raises ToolError for a tool without a function, and for one whose function
        is async; TypeError for what is no ToolCall.
        """
        from pdl.tools.dispatch import Dispatcher

        return Dispatcher.of(self.tools, functions, raise_errors=raise_errors).run_all(call)

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
        """The same for functions of which some are async; several calls still follow each other."""
        from pdl.tools.dispatch import Dispatcher

        return await Dispatcher.of(self.tools, functions, raise_errors=raise_errors).run_all_async(
            call
        )
