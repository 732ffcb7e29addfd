"""The command `pdl`: options, a typed call, a reporter, an exit code. Nothing else prints."""

from pdl.cli.app import main

__all__ = ["main"]
