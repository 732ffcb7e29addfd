"""The language server: what `pdl.edit` knows, said in the Language Server Protocol over stdio.

It needs pygls: `pip install 'pdl-prompts[lsp]'`.
"""
