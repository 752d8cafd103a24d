-- The language server in Neovim 0.7 or later: one for each folder.
local M = {}
local clients = {}

function M.start()
  local buffer = vim.api.nvim_get_current_buf()
  local command = vim.g.nsm_command or "nsm"
  if vim.fn.executable(command) == 0 then return end
  local name = vim.api.nvim_buf_get_name(buffer)
  local config = { name = "nsm", cmd = { command, "lsp" }, root_dir = vim.fn.fnamemodify(name, ":p:h") }
  if vim.lsp.start then
    vim.lsp.start(config)                                  -- 0.8 and later
    return
  end
  local id = clients[config.root_dir]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client(config)
    clients[config.root_dir] = id
  end
  if id then vim.lsp.buf_attach_client(buffer, id) end
end

return M
