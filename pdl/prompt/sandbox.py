"""The Jinja environment of prompts: sandboxed, bounded in time and size, strict about undefined."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import MutableMapping, MutableSequence, MutableSet
from types import BuiltinMethodType, ModuleType
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateRuntimeError, Undefined, nodes
from jinja2.compiler import CodeGenerator, operators, optimizeconst
from jinja2.exceptions import TemplateSyntaxError
from jinja2.lexer import TokenStream
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pdl.errors import an_instance
from pdl.prompt import growth_guard, tera
from pdl.prompt.growth_guard import comparable
from pdl.prompt.printing import Captured, PromptTemplate, captured, emitted, joined, kept
from pdl.prompt.render_budget import (
    BUDGET,
    SMALL,
    TOO_MANY_DIGITS,
    MissingName,
    concat,
    is_container,
    measure_size,
    ticker,
    watched,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jinja2.compiler import Frame
    from jinja2.runtime import Context

    from pdl.errors import Problem
    from pdl.limits import Limits
    from pdl.prompt.files import Folder
    from pdl.prompt.markers import Markers
    from pdl.prompt.references import Types
    from pdl.source import Source


_LONGEST = 200  # characters of a name in an error


class StrictUndefined(Undefined):
    """False in a condition; printed, looped over or computed with, it is noted as an error.

    Noting instead of raising lets one rendering find all undefined names. Its output is then
    discarded, so it continues with an empty string.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name[:2] == "__" and name[-2:] == "__":
            raise AttributeError(name)
        return _part(self, f".{name}")

    def __str__(self) -> str:
        _note(self)
        return ""

    def __iter__(self) -> Iterator[Any]:
        _note(self)
        return iter(())

    def __len__(self) -> int:
        _note(self)
        return 0

    def __eq__(self, other: object) -> bool:
        _note(self)
        return False

    def __hash__(self) -> int:
        return id(self)


def _part(undefined: StrictUndefined, step: str) -> StrictUndefined:
    return StrictUndefined(
        undefined._undefined_hint,
        undefined._undefined_obj,
        _named(undefined) + step,
        undefined._undefined_exception,
    )


def _named(undefined: StrictUndefined) -> str:
    return _written(undefined._undefined_name, str)


def _written(key: object, form: Callable[[object], str]) -> str:
    """A name or a key as an error shows it. Raises TooLargeError for a bomb."""
    for part in (key.start, key.stop, key.step) if isinstance(key, slice) else (key,):
        if is_container(part):
            measure_size(part)
    text = form(key[: _LONGEST + 1] if isinstance(key, str) else key)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _item(undefined: StrictUndefined, key: object) -> StrictUndefined:
    return _part(undefined, f"[{_written(key, repr)}]")


def _note(undefined: StrictUndefined, *_: object, **__: object) -> StrictUndefined:
    budget = BUDGET.get(None)
    if budget is None:
        raise TemplateRuntimeError(undefined._undefined_message)
    name, owner = _named(undefined), undefined._undefined_obj
    template, line = _where()
    if line is None:
        return undefined  # it is on its way out, and was noted where it was used
    reason = undefined._undefined_hint or ""
    budget.note_missing(MissingName(template, line, name, owner, reason))
    return undefined


def _false(undefined: StrictUndefined, *_: object) -> bool:
    _note(undefined)
    return False


def _zero(undefined: StrictUndefined) -> int:
    _note(undefined)
    return 0


_OPERATORS = {
    _note: "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow"
    " pos neg call",
    _false: "lt le gt ge contains",
    _zero: "int index",
    _item: "getitem",
}
for _function, _names in _OPERATORS.items():
    for _name in _names.split():
        setattr(StrictUndefined, f"__{_name}__", _function)


def _where() -> tuple[str | None, int | None]:
    """The template and the line that are being rendered, read off the stack, if there are."""
    frame = sys._getframe(1)
    while True:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            return template.name, template.get_corresponding_lineno(frame.f_lineno)
        if frame.f_back is None:
            return None, None
        frame = frame.f_back


class Method(StrictUndefined):
    """A method of a built-in value that is named but not called, as in `{{ order.items }}`.

    It counts as undefined, since a key was meant; called, it is the method.
    """

    __slots__ = ("method",)

    def __init__(self, method: BuiltinMethodType, name: str) -> None:
        super().__init__(
            f"`{name}` is a method of {an_instance(type(method.__self__))}, not a key of it;"
            f" call it, `{name}()`, or pass a value of that name",
            method.__self__,
            name,
        )
        self.method = method


_MUTABLE = (MutableMapping, MutableSequence, MutableSet)
_READING_NAMES = (
    "get items keys values copy fromkeys index count elements most_common total new_child parents"
    " maps maxlen default_factory difference intersection isdisjoint issubset issuperset"
    " symmetric_difference union"
)
_READING = frozenset(_READING_NAMES.split())
"""What Python's own mutable containers have that does not change them."""
_SIMPLE = SMALL | {str}
_LOOP = frozenset(name for name in dir(LoopContext) if not name.startswith("_"))


class _Generator(CodeGenerator):
    """Jinja's code generator, with a tick in every loop, block and macro, and a bounded `~`."""

    _function_begins = False
    _printed_filter: nodes.Filter | None = None

    def write_commons(self) -> None:
        super().write_commons()
        self.writeline("pdl_tick = environment.ticker()")

    def macro_body(self, node: nodes.Macro | nodes.CallBlock, frame: Frame) -> tuple[Frame, Any]:
        self._function_begins = True
        return super().macro_body(node, frame)

    def enter_frame(self, frame: Frame) -> None:
        super().enter_frame(frame)
        if frame.loop_frame:
            self.writeline("next(pdl_tick)")
        elif self._function_begins:
            # A macro can outlive the rendering that defined it, so it gets its own ticker.
            self._function_begins = False
            self.writeline("pdl_tick = environment.ticker()")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802  (Jinja's name)
        self.write("environment.concat([environment.emitted(piece) for piece in (")
        for piece in node.nodes:
            self.visit(piece, frame)
            self.write(", ")
        self.write(")])")

    @optimizeconst
    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:  # noqa: N802
        """Comparisons, which measure a value that is compared with another one."""
        self.write("(")
        values = [node.expr, *(operand.expr for operand in node.ops)]
        for at, value in enumerate(values):
            before, after = node.ops[at - 1 : at], node.ops[at : at + 1]
            if before:
                self.write(f" {operators[before[0].op]} ")
            if after and not _is_plain(value) and not _is_plain(after[0].expr):
                self._wrapped("environment.comparable", value, frame)
            elif before and before[0].op in ("in", "notin") and not _is_plain(value):
                self._wrapped("environment.watched", value, frame)
            else:
                self.visit(value, frame)
        self.write(")")

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:  # noqa: N802
        """Objects, whose keys are hashed."""
        self.write("{")
        for item in node.items:
            self._wrapped("environment.comparable", item.key, frame)
            self.write(": ")
            self.visit(item.value, frame)
            self.write(", ")
        self.write("}")

    def _wrapped(self, function: str, node: nodes.Expr, frame: Frame) -> None:
        if isinstance(node, nodes.Const):
            self.visit(node, frame)
            return
        self.write(f"{function}(")
        self.visit(node, frame)
        self.write(")")

    def visit_Call(  # noqa: N802  (Jinja's name)
        self,
        node: nodes.Call,
        frame: Frame,
        forward_caller: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        """Calls; what `{% call %}` prints, Jinja would print as it is."""
        if forward_caller:
            self.write("environment.emitted(")
        super().visit_Call(node, frame, forward_caller=forward_caller)
        if forward_caller:
            self.write(")")

    def visit_FilterBlock(self, node: nodes.FilterBlock, frame: Frame) -> None:  # noqa: N802
        self._printed_filter = node.filter
        super().visit_FilterBlock(node, frame)

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802
        """Filters; what `{% filter %}` prints, Jinja would print as it is."""
        is_printed = node is self._printed_filter
        if is_printed:
            self.write("environment.emitted(")
        super().visit_Filter(node, frame)
        if is_printed:
            self.write(")")


def _is_plain(node: nodes.Expr) -> bool:
    """Whether this is written in the template and contains nothing else."""
    if isinstance(node, (nodes.List, nodes.Tuple)):
        return all(map(_is_plain, node.items))
    return isinstance(node, nodes.Const) and not isinstance(node.value, dict)


def _captured(pieces: Any) -> str:
    """Join the pieces of a text that a template stores as a value, or prints from one."""
    return captured(concat(pieces))


class PromptEnvironment(ImmutableSandboxedEnvironment):
    """Jinja's immutable sandbox with pdl's rules."""

    code_generator_class = _Generator
    template_class = PromptTemplate
    intercepted_binops = frozenset({"*", "**", "+", "%"})
    concat = staticmethod(_captured)
    emitted = staticmethod(emitted)
    ticker = staticmethod(ticker)
    comparable = staticmethod(comparable)
    watched = staticmethod(watched)

    def __init__(
        self, markers: Markers, limits: Limits, folder: Folder | None, **options: Any
    ) -> None:
        super().__init__(undefined=StrictUndefined, finalize=emitted, **options)
        self.markers = markers
        self.limits = limits
        self.folder = folder
        self.types: Types = False
        self.sources: dict[str | None, Source] = {}
        self.noted: list[Problem] | None = None
        """While linting: the problems of templates that don't stop the others from being read."""
        del self.globals["lipsum"]

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Jinja's rules; and of Python's own containers, only the methods that read."""
        if isinstance(obj, _MUTABLE) and attr not in _READING and _is_pythons(type(obj), attr):
            reads = isinstance(obj, bytearray) and hasattr(bytes, attr)
        else:
            reads = True
        return reads and super().is_safe_attribute(obj, attr, value)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`; a `defaultdict` returns its default, and does not store it."""
        if type(argument) not in _SIMPLE:
            comparable(argument)
        if isinstance(obj, defaultdict) and obj.default_factory and argument not in obj:
            return obj.default_factory()
        return super().getitem(obj, argument)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`; in a dictionary keys come before methods, as in `order.items`."""
        if isinstance(obj, dict):
            if attribute in obj:
                return obj[attribute]
            if isinstance(obj, defaultdict) and not hasattr(obj, attribute):
                return self.getitem(obj, attribute)
        elif type(obj) is LoopContext and attribute in _LOOP:
            return getattr(obj, attribute)  # most loops ask for one; it has nothing to protect
        value = super().getattr(obj, attribute)
        if isinstance(value, BuiltinMethodType) and not isinstance(obj, ModuleType):
            return Method(value, attribute)
        if isinstance(obj, str) and attribute in ("format", "format_map"):
            return _guarded_format(obj, value)
        return value

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Operators whose result may be much larger than their operands."""
        growth_guard.guard_binary(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063  (Jinja's)
        """Call an object; the odd parameter names leave others free for keywords, as in Jinja."""
        if isinstance(__obj, Method):
            __obj = __obj.method
        if growth_guard.is_guarded(__obj):
            growth_guard.guard_call(__obj, args, kwargs)
        args = tuple(
            value if type(value) in SMALL else growth_guard.given_to(__obj, value) for value in args
        )
        owner = getattr(__obj, "__self__", None)
        if not isinstance(owner, str):
            return super().call(__context, __obj, *args, **kwargs)
        if __obj.__name__ == "join" and any(isinstance(each, Captured) for each in args[0]):
            return joined(args[0], owner)
        return kept(super().call(__context, __obj, *args, **kwargs), owner)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        return tera.adapt(super()._parse(source, name, filename))

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        try:
            stream = super()._tokenize(source, name, filename, state)
            if state is not None:
                return stream
            return TokenStream(self.markers.mark_tokens(stream, self.sources[name]), name, filename)
        except ValueError:  # of Python, which reads numbers of some thousand digits at most
            tokens = self.lexer.tokeniter(source, name, filename, state)
            integers = ((line, text) for line, kind, text in tokens if kind == "integer")
            line = next((line for line, text in integers if not _has_text(text)), 1)
        raise TemplateSyntaxError(TOO_MANY_DIGITS, line, name, filename)


def _has_text(number: str) -> bool:
    """Whether Python reads an integer and writes it in decimal."""
    try:
        return bool(str(int(number, 0)))
    except ValueError:
        return False


def _is_pythons(kind: type, attribute: str) -> bool:
    """Whether Python itself, not a class of the caller's, defines that attribute of the type."""
    owner = next((base for base in kind.__mro__ if attribute in vars(base)), kind)
    return owner.__module__ in ("builtins", "collections", "collections.abc", "array")


def _guarded_format(text: str, formatted: Any) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        growth_guard.guard_format(text, args, kwargs)
        return kept(formatted(*args, **kwargs), text)

    return call
