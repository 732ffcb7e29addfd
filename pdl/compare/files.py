"""The changes of the files that a prompt reads: templates that it includes, and media."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import TemplateNotFound

from pdl.compare.sections import DIGEST, Outline, outline
from pdl.compare.turns import placed, turn_changes
from pdl.compare.verdicts import ALL
from pdl.compare.words import Effect, text_change
from pdl.prompt.files import JailError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pdl.compare.sections import Section
    from pdl.compare.turns import Told
    from pdl.compare.verdicts import Audience, Change
    from pdl.limits import Limits
    from pdl.prompt.files import Folder
    from pdl.prompt.prompt import Prompt
    from pdl.prompt.sandbox import PromptEnvironment
    from pdl.source import Source, Span

_MEDIA = re.compile(r"\s*media\s*\((.*)\)\s*", re.IGNORECASE | re.DOTALL)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class File(NamedTuple):
    """A template that a prompt reads: its source and sections, or why it can't be read."""

    source: Source | None
    outline: Outline
    reason: str = ""
    optional: bool = False


def read_files(prompt: Prompt, main: Outline) -> dict[str, File]:
    """Return the templates that a prompt names, and that these name, in the order of the tags."""
    found: dict[str, File] = {}
    if prompt.template is None:
        return found
    pending = list(main.references)
    for reference in pending:  # it grows meanwhile
        if reference.path not in found:
            file = _read(reference.path, prompt.template.environment)
            found[reference.path] = file._replace(optional=reference.optional)
            pending += file.outline.references
    return found


def _read(path: str, environment: PromptEnvironment) -> File:
    assert environment.loader is not None
    try:
        environment.loader.get_source(environment, path)
    except TemplateNotFound as error:
        reason = error.message if error.message and error.message != path else "it was not found"
        return File(None, Outline(), reason)
    except OSError as error:
        return File(None, Outline(), f"it cannot be read: {error.strerror}")
    source = environment.sources[path]
    return File(source, outline(source, environment, part=True))


def file_changes(
    old: Mapping[str, File], new: Mapping[str, File], effect: Callable[[str], Effect]
) -> Iterator[Change]:
    """Tell what changed in the files that a prompt reads; `effect` is that of a turn, by role."""
    for path in (*new, *(path for path in old if path not in new)):
        one, other = old.get(path), new.get(path)
        if one is not None and other is not None and one.source and other.source:
            yield from _content_changes(path, one, other, effect)
        else:
            yield from _presence(path, one, other)


def _content_changes(
    path: str, one: File, other: File, effect: Callable[[str], Effect]
) -> Iterator[Change]:
    turns = placed(one.outline.sections, path), placed(other.outline.sections, path)
    told: list[Told] = []
    for meant in dict.fromkeys(effect(turn.section.role) for side in turns for turn in side):
        old, new = ([one for one in side if effect(one.section.role) == meant] for side in turns)
        told += turn_changes(old, new, meant)
    yield from (one.change for one in sorted(told, key=lambda one: one.position))


def _presence(path: str, one: File | None, other: File | None) -> Iterator[Change]:
    """A file that only one version names, or can read."""
    old, new = (None if file is None else file.source for file in (one, other))
    breaks: tuple[Audience, ...] = ()
    if new is not None:
        message = "the file is read now" if one is None else "the file can be read now"
    elif other is None and old is not None:
        message = "the file is no longer read"
    elif other is not None and not other.optional and (old is not None or one is None):
        message = f"the file cannot be read: {other.reason}"
        breaks = ALL
    elif other is not None and old is not None:
        message = f"the file is missing: {other.reason}"
    else:
        return
    texts = "" if old is None else old.text, "" if new is None else new.text
    spans = None if old is None else old.span(0), None if new is None else new.span(0)
    yield text_change(Effect("includes", None, breaks), path, message, texts, spans)


class Embedded(NamedTuple):
    """A file that a tag embeds: its digest and size, or why it can't be read; and the tag."""

    span: Span
    digest: str = ""
    size: int = 0
    reason: str = ""


def read_media(
    sections: Iterable[Section], folder: Folder | None, limits: Limits
) -> dict[str, Embedded]:
    """Return the media that turns name, by path or URL, in the order of the tags."""
    found: dict[str, Embedded] = {}
    for origin in (one for section in sections for one in section.media):
        match = _MEDIA.fullmatch(origin.text)
        path = match[1].strip() if match else ""
        if path and path not in found:
            span = origin.source.span(origin.start, origin.end)
            found[path] = Embedded(span) if _URL.match(path) else _media(path, span, folder, limits)
    return found


def _media(path: str, span: Span, folder: Folder | None, limits: Limits) -> Embedded:
    if folder is None:
        return Embedded(span, reason="the prompt was loaded from text, without `base`")
    try:
        data = folder.read(path, limits.media_bytes)
    except JailError as error:
        return Embedded(span, reason=str(error))
    except OSError as error:
        return Embedded(span, reason=f"it cannot be read: {error.strerror}")
    return Embedded(span, sha256(data).hexdigest(), len(data))


def media_changes(old: Mapping[str, Embedded], new: Mapping[str, Embedded]) -> Iterator[Change]:
    """Tell which embedded files are new, are gone, or have other bytes."""
    gone = {one.digest: path for path, one in old.items() if path not in new and one.digest}
    renamed: set[str] = set()
    for path, other in new.items():
        one = old.get(path)
        if one is not None:
            yield from _media_change(path, one, other)
            continue
        source = gone.get(other.digest, "")
        renamed.add(source)
        if source:
            message = f"`{source}` became `{path}`, with the same bytes"
            spans = old[source].span, other.span
            yield text_change(Effect("media"), path, message, (source, path), spans)
        else:
            message = f"the file is embedded now{_size(other)}"
            breaks: tuple[Audience, ...] = ALL if other.reason else ()
            effect = Effect("media", None, breaks)
            yield text_change(effect, path, message, ("", path), (None, other.span))
    for path, one in old.items():
        if path not in new and path not in renamed:
            message = "the file is no longer embedded"
            yield text_change(Effect("media"), path, message, (path, ""), (one.span, None))


def _media_change(path: str, one: Embedded, other: Embedded) -> Iterator[Change]:
    """The change of a file that both versions embed."""
    breaks: tuple[Audience, ...] = ()
    if one.digest == other.digest:
        return
    if other.reason:
        message, breaks = f"the file cannot be read: {other.reason}", ALL
    elif one.reason:
        message = f"the file can be read now{_size(other)}"
    elif one.size == other.size:
        message = f"the bytes changed; there are {one.size:,} as before"
    else:
        message = f"the bytes changed: {one.size:,} bytes became {other.size:,}"
    effect = Effect("media", None, breaks)
    texts = _shown(one), _shown(other)
    yield text_change(effect, path, message, texts, (one.span, other.span))


def _shown(file: Embedded) -> str:
    """A file as a text."""
    return f"{file.size:,} bytes, SHA-256 {file.digest[:DIGEST]}" if file.digest else ""


def _size(file: Embedded) -> str:
    if file.reason:
        return f", but cannot be read: {file.reason}"
    return f", {file.size:,} bytes" if file.digest else ""
