"""The exit codes of every command."""

from typing import Final

BAD: Final = 1
"""The command did its work, and what it looked at is wrong: a reply, a linted file."""

USAGE: Final = 2
"""The command could not do its work: wrong options, an unreadable file, a prompt that fails."""

UNREACHED: Final = 3
"""The model could not be asked: its server fails, is not there, or refuses the request."""

CALLED: Final = 4
"""The model wants tools called, which a command cannot do; its calls are the result."""

STOPPED: Final = 130
"""Somebody pressed Ctrl-C: 128 and the number of that signal, as shells have it."""
