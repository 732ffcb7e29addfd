-- The language server for prompt files. Neovim 0.11 reads this file for `vim.lsp.enable("pdl")`;
-- `vim.lsp.config("pdl", { … })` changes it.
return {
  cmd = vim.g.pdl_command or { "pdl", "lsp" },
  filetypes = { "pdl-prompt" },
  root_markers = { "pdl.lock", "pyproject.toml", ".git" },
}
