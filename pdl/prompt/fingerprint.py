"""Fingerprints of prompts: the same for what renders the same, different for anything else.

A fingerprint covers the template, the inputs, and the content of the files that the template names
as text: templates, media, and JSON Schemas. It does not cover names that are computed, values, nor
the options of `pdl.load`, except that `@type:module:Name` counts by its schema where `types` allow
the type. A file that is missing counts as missing.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import TemplateNotFound, TemplateSyntaxError

from pdl.errors import PdlError
from pdl.prompt.canonical import Tag, Tokens, canonical, flat, plain, schema_item, tokens_of
from pdl.prompt.files import JailError
from pdl.prompt.references import TypeNameError, find_type, read_text
from pdl.schema.model import schema_of_type
from pdl.schema.text import load
from pdl.source import Source

if TYPE_CHECKING:
    from pdl.limits import Limits
    from pdl.prompt.files import Folder
    from pdl.prompt.inputs import Inputs
    from pdl.prompt.prompt import Prompt
    from pdl.prompt.references import Types
    from pdl.prompt.sandbox import PromptEnvironment

ALGORITHM = "h1"
"""What a fingerprint begins with: it changes when the same prompt would get another one."""

_STORED = "_content"
_TYPE = "type:"
_BLOCK_VALUES = frozenset({"self", "super"})
"""What prints a block elsewhere, or as a value."""


class Content(NamedTuple):
    """What counts of a prompt: `digest` of its templates, and files that are read each time.

    `media` and `schemas` are the paths, and what follows the `@`, that the templates name as text.
    `is_whole` says that all templates were found, `is_computed` that they include files whose names
    they compute, which don't count.
    """

    digest: str
    media: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    is_whole: bool = True
    is_computed: bool = False

    @property
    def is_fixed(self) -> bool:
        """Whether the fingerprint can't change while the prompt is loaded."""
        return self.is_whole and not self.media and not self.schemas

    def fingerprint(self, folder: Folder | None, limits: Limits) -> str:
        """Return the fingerprint, with the present content of the files."""
        media = [[path, _media_digest(path, folder, limits)] for path in self.media]
        referenced = [[name, _schema_digest(name, folder, limits)] for name in self.schemas]
        return f"{ALGORITHM}:{_digest([self.digest, media, referenced])}"


def content_of(prompt: Prompt) -> Content:
    """Return what counts of a prompt, which stores it unless a template was missing.

    Never raises for a file that is missing or invalid.
    """
    stored: Content | None = vars(prompt).get(_STORED)
    if stored is not None and stored.is_whole:
        return stored
    vars(prompt)[_STORED] = found = _content(prompt)
    return found


def _content(prompt: Prompt) -> Content:
    problems = [problem.code for problem in prompt.problems]
    if prompt.template is None:
        places = [problem.location for problem in prompt.problems]
        texts = [place.source.text for place in places if place and place.source != prompt.source]
        return Content(_digest(["unparsed", prompt.source.text, problems, *texts]))
    files = _Files(prompt.template.environment, prompt.source)
    names = {name for tokens in files.read for name in tokens.schema_files()}
    types = sorted(name for name in names if name.startswith(_TYPE))
    typed = [[name, _type_item(name.removeprefix(_TYPE).strip(), prompt.types)] for name in types]
    media = {path for tokens in files.read for path in tokens.media_files()}
    forms = files.canonical(prompt.limits)
    return Content(
        _digest([problems, _input_item(prompt.inputs), forms, typed]),
        tuple(sorted(media)),
        tuple(sorted(names.difference(types))),
        is_whole=None not in files.templates.values(),
        is_computed=files.is_computed,
    )


class _Files:
    """A template, and by their names those that it can include: tokens, text without, or None."""

    def __init__(self, environment: PromptEnvironment, source: Source) -> None:
        self._environment = environment
        self.main = tokens_of(environment, source, is_main=True)
        self.read = [self.main]
        self.templates: dict[str, Tokens | str | None] = {}
        for tokens in self.read:  # it grows meanwhile
            for name in (name for tag in tokens.tags() for name in tag.files()):
                if name not in self.templates:
                    found = self.templates[name] = self._tokens(name)
                    self.read += [found] if isinstance(found, Tokens) else []
        self.is_computed = any(tag.is_computed() for tokens in self.read for tag in tokens.tags())

    def _tokens(self, name: str) -> Tokens | str | None:
        assert self._environment.loader is not None
        try:
            self._environment.loader.get_source(self._environment, name)
        except (TemplateNotFound, OSError):
            return None
        source = self._environment.sources[name]
        try:
            return tokens_of(self._environment, source, is_main=False)
        except (TemplateSyntaxError, ValueError):
            return source.text

    def canonical(self, limits: Limits) -> list[Any]:
        """The canonical forms: of the template itself, then of each file after its name."""
        blocks_print = not self.is_computed and not any(map(_has_block_values, self.read))
        values = self._values(blocks_print=blocks_print)
        forms: list[Any] = [canonical(self.main, limits, prints=True, blocks_print=blocks_print)]
        for name, found in sorted(self.templates.items()):
            if isinstance(found, Tokens):
                prints = name not in values
                form = canonical(found, limits, prints=prints, blocks_print=blocks_print)
                forms += (name, form)
            else:
                forms += (name, found)
        return forms

    def _values(self, *, blocks_print: bool) -> set[str]:
        """The files whose text can become a value, so that all of its whitespace counts."""
        if self.is_computed:
            return set(self.templates)
        found: set[str] = set()
        pending: list[tuple[Tokens, bool]] = [(self.main, True)]
        seen: set[tuple[int, bool]] = set()
        while pending:
            tokens, prints = pending.pop()
            if (id(tokens), prints) in seen:
                continue
            seen.add((id(tokens), prints))
            for tag, is_printed, _ in tokens.walk(blocks_print=blocks_print):
                if not isinstance(tag, Tag):
                    continue
                for name in tag.files():
                    below = prints and is_printed and tag.word in ("include", "extends")
                    found |= set() if below else {name}
                    inner = self.templates[name]
                    pending += [(inner, below)] if isinstance(inner, Tokens) else []
        return found


def _has_block_values(tokens: Tokens) -> bool:
    """Whether a template can print a block, of itself or of one that extends it, into a value."""
    return any(
        tag.names() & _BLOCK_VALUES or (tag.word == "block" and not is_printed)
        for tag, is_printed, _ in tokens.walk(blocks_print=True)
        if isinstance(tag, Tag)
    )


def _input_item(inputs: Inputs | None) -> list[Any] | None:
    """The variables: their descriptions and order are not for templates.

    Within a variable the order is that of the defaults that the template gets.
    """
    if inputs is None:
        return None
    document = plain(inputs.schema.document, frozenset({"description", "title"}))
    for keyword in ("properties", "required"):
        if keyword in document:
            found = document[keyword]
            is_map = isinstance(found, dict)
            document[keyword] = dict(sorted(found.items())) if is_map else sorted(found)
    return list(flat(document))


def _type_item(name: str, types: Types) -> list[Any] | None:
    try:
        return schema_item(schema_of_type(find_type(name, types)))
    except (PdlError, TypeNameError):
        return None


def _media_digest(path: str, folder: Folder | None, limits: Limits) -> str | None:
    """The digest of a file's bytes; None if it can't be read."""
    try:
        return None if folder is None else sha256(folder.read(path, limits.media_bytes)).hexdigest()
    except (JailError, OSError):
        return None


def _schema_digest(name: str, folder: Folder | None, limits: Limits) -> str | None:
    """The digest of the JSON in a file, or of its text if that is not JSON; None without one."""
    try:
        text = read_text(name, folder, limits)
    except (JailError, OSError, UnicodeDecodeError):
        return None
    try:
        return _digest(["json", *flat(load(Source(text), limits))])
    except PdlError:
        return _digest(["text", text])


def _digest(value: list[Any]) -> str:
    """The digest of lists of scalars; two lone surrogates are not the character that they make."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
