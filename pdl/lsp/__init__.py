"""The language server, `pdl lsp`: `pdl.edit` for editors, by the Language Server Protocol."""
