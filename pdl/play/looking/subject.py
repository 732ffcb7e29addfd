"""What is looked at: a prompt's text, its data and a reply, each read once for all parts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pdl.decoding import parse_json, parse_yaml
from pdl.errors import FileError, PdlError, Problem
from pdl.prompt.prompt import in_folder
from pdl.source import Source

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.prompt import Prompt, Rendered
    from pdl.prompt.files import Folder
    from pdl.reply import Check
    from pdl.schema import Schema
    from pdl.tools.toolset import ToolSet


class Subject:
    """The prompt, the data and the reply; what is made of them raises PdlError when it is read."""

    def __init__(
        self,
        text: str,
        data: str,
        reply: str | None,
        options: Mapping[str, Json],
        folder: Folder | None,
    ) -> None:
        self.text = text
        self.data = data
        self.reply = reply
        self.options = options
        self.folder = folder

    @property
    def name(self) -> str:
        """What problems call the prompt."""
        name = self.options.get("name")
        return name if isinstance(name, str) and name else "prompt.pdl"

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt, compiled."""
        return in_folder(self.text, self.name, self.folder)

    @cached_property
    def values(self) -> dict[str, Any]:
        """The data as they are written: an object in JSON or YAML; nothing is an empty one."""
        source = Source(self.data.removeprefix("\ufeff"), "data")
        if not source.text.strip():
            return {}
        is_json = source.text.lstrip().startswith(("{", "["))
        found: Any = parse_json(source) if is_json else parse_yaml(source)
        if not isinstance(found, Mapping) or not all(isinstance(key, str) for key in found):
            message = "the data must be an object with the prompt's variables"
            raise FileError(Problem("file/context", message))
        return dict(found)

    @cached_property
    def rendered(self) -> Rendered[Any]:
        """The prompt with the data."""
        return self.prompt.render(self.values, prefill=True)

    @cached_property
    def schema(self) -> Schema[Any] | None:
        """The schema of the answer, which needs data only if it depends on them."""
        template = self.prompt.template
        assert template is not None
        try:
            is_constant, schema = template.constant_schema
        except PdlError:
            is_constant, schema = False, None
        return schema if is_constant else self.rendered.schema

    @cached_property
    def tools(self) -> ToolSet | None:
        """The tools of the prompt."""
        return self.rendered.tools

    @cached_property
    def check(self) -> Check[Any] | None:
        """The check of the reply, if there is one."""
        from pdl import reply as replies  # noqa: PLC0415 - without a reply nothing is checked

        return None if self.reply is None else replies.check(self.schema, self.reply)
