"""The layout of prompt files, which changes nothing that they render."""
