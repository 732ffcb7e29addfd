-- What a user of Neovim does with a prompt, written as JSON to `vim.g.output`.
-- Started with `-u` this file, which also stands for the user's `init.lua`.
vim.opt.runtimepath:prepend(vim.env.PDL_PLUGIN)
vim.g.pdl_command = vim.fn.json_decode(vim.env.PDL_COMMAND)

local result = {}

local function client()
  local all = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return all[1]
end

local function wait_for(what, condition)
  if not vim.wait(20000, condition, 20) then
    error("timeout: " .. what)
  end
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n"
end

--- Puts the cursor behind the first occurrence of a text, and returns the parameters of a request.
local function at(needle)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local _, finish = line:find(needle, 1, true)
    if finish then
      vim.api.nvim_win_set_cursor(0, { number, finish })
      return vim.lsp.util.make_position_params(0, client().offset_encoding)
    end
  end
  error("not found: " .. needle)
end

local function request(method, params)
  local answers, problem = vim.lsp.buf_request_sync(0, method, params, 10000)
  assert(answers, problem)
  local _, answer = next(answers)
  assert(answer and not answer.error, vim.inspect(answer))
  return answer.result
end

local function diagnostics()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    local code = one.code or one.user_data.lsp.code
    table.insert(found, { line = one.lnum + 1, column = one.col, code = code, message = one.message })
  end
  return found
end

local function has(code)
  for _, one in ipairs(diagnostics()) do
    if one.code == code then
      return true
    end
  end
  return false
end

local function hover(needle)
  local contents = (request("textDocument/hover", at(needle)) or {}).contents
  return contents and (contents.value or contents)
end

local function labels(needle)
  local answer = request("textDocument/completion", at(needle)) or {}
  return vim.tbl_map(function(item)
    return item.label
  end, answer.items or answer)
end

--- Applies the first fix of a diagnostic, whose line is ASCII, and returns its title.
local function fix(code)
  local there = vim.tbl_filter(function(one)
    return (one.code or one.user_data.lsp.code) == code
  end, vim.diagnostic.get(0))[1]
  local diagnostic = {
    code = code,
    message = there.message,
    severity = there.severity,
    source = there.source,
    data = there.user_data.lsp.data,
    range = {
      start = { line = there.lnum, character = there.col },
      ["end"] = { line = there.end_lnum, character = there.end_col },
    },
  }
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(0),
    range = diagnostic.range,
    context = { diagnostics = { diagnostic } },
  }
  for _, action in ipairs(request("textDocument/codeAction", params)) do
    if action.kind == "quickfix" then
      local edit = action.edit or request("codeAction/resolve", action).edit
      vim.lsp.util.apply_workspace_edit(edit, client().offset_encoding)
      return action.title
    end
  end
end

local function run()
  result.filetype = vim.bo.filetype
  wait_for("the server", function()
    return client() ~= nil and client().initialized ~= false
  end)
  wait_for("diagnostics", function()
    return has("turn/unknown-role") and has("template/undefined")
  end)
  result.encoding = client().offset_encoding
  result.diagnostics = diagnostics()
  result.hover = hover("  revi")
  result.completion = { input = labels("| {{ re"), type = labels("mood: "), filter = labels("review | up") }

  if client().server_capabilities.codeActionProvider then
    result.fixed = fix("turn/unknown-role")
  else
    vim.cmd("silent %s/usr/user/")
  end
  vim.cmd("silent %s/reveiw/review/")
  wait_for("no mistakes", function()
    return not (has("turn/unknown-role") or has("template/undefined"))
  end)
  result.after = diagnostics()

  local place = request("textDocument/definition", at("{{ revi"))
  place = place[1] or place
  result.definition = (place.range or place.targetSelectionRange).start.line + 1

  at("{{ revi")
  vim.lsp.buf.rename("words")
  wait_for("the rename", function()
    return not text():find("review")
  end)
  vim.cmd("silent wall")
  result.renamed = text()

  vim.cmd("let &undolevels = &undolevels") -- what follows is a step of its own
  if vim.lsp.buf.format then
    vim.lsp.buf.format({ timeout_ms = 10000 })
  else
    vim.lsp.buf.formatting_sync(nil, 10000)
  end
  result.formatted = text()
  vim.cmd("silent undo")
  result.undone = text()

  if vim.lsp.semantic_tokens then -- since 0.9
    wait_for("semantic tokens", function()
      return #(vim.lsp.semantic_tokens.get_at_pos(0, 2, 2) or {}) > 0
    end)
    result.token = vim.lsp.semantic_tokens.get_at_pos(0, 2, 2)[1].type
    local uri = vim.uri_from_bufnr(0)
    request("workspace/executeCommand", { command = "pdl.grammar", arguments = { uri } })
    wait_for("a window with the grammar", function()
      for _, window in ipairs(vim.api.nvim_list_wins()) do
        local buffer = vim.api.nvim_win_get_buf(window)
        if vim.api.nvim_buf_get_name(buffer):find("%.gbnf$") then
          result.grammar = vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1]
        end
      end
      return result.grammar ~= nil
    end)
  end
end

vim.api.nvim_create_autocmd("VimEnter", {
  callback = vim.schedule_wrap(function()
    local ok, problem = xpcall(run, debug.traceback)
    result.problem = not ok and problem or nil
    vim.fn.writefile({ vim.fn.json_encode(result) }, vim.env.PDL_OUTPUT)
    vim.cmd("qall!")
  end),
})
