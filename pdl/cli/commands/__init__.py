"""The commands, a file each; `command` is what the application looks for in it."""
