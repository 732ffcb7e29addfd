-- Prompt files of pdl: the syntax of ../vim, and the language server `pdl lsp`.
local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h")
vim.opt.runtimepath:append(vim.fn.fnamemodify(here, ":h") .. "/vim")

if vim.lsp.enable then
  vim.lsp.enable("pdl")
  return
end

-- Before Neovim 0.11
local server = dofile(here .. "/lsp/pdl.lua")
local started = {} -- by root directory

local function root_of(file)
  local directory = vim.fn.fnamemodify(file, ":p:h")
  for _, marker in ipairs(server.root_markers) do
    for _, find in ipairs({ vim.fn.findfile, vim.fn.finddir }) do
      local found = find(marker, directory .. ";")
      if found ~= "" then
        return vim.fn.fnamemodify(found, ":p"):gsub("/$", ""):match("(.*)/")
      end
    end
  end
  return directory
end

vim.api.nvim_create_autocmd("FileType", {
  pattern = server.filetypes,
  callback = function(event)
    local config = { name = "pdl", cmd = server.cmd, root_dir = root_of(event.file) }
    if vim.lsp.start then
      vim.lsp.start(config)
      return
    end
    local root = config.root_dir -- Neovim 0.7
    config.on_exit = function()
      started[root] = nil
    end
    started[root] = started[root] or vim.lsp.start_client(config)
    if started[root] then
      vim.lsp.buf_attach_client(event.buf, started[root])
    end
  end,
})
