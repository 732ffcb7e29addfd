"""What an editor does with prompt files: documents that need not parse, and pure functions of them.

Each feature is a function of a document and an offset that returns plain values; `pdl.lsp` says
them to editors. Nothing here raises an error for what a document contains.
"""
