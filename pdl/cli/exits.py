"""The exit codes of every command."""

from typing import Final

BAD: Final = 1
"""The command did its work, and what it looked at is wrong: a reply, a linted file."""

USAGE: Final = 2
"""The command could not do its work: wrong options, an unreadable file, a prompt that fails."""

STOPPED: Final = 130
"""Somebody pressed Ctrl-C: 128 and the number of that signal, as shells have it."""
