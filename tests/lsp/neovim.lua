-- Run by tests/lsp/run in a folder with bad.nsm and good.nsm: diagnostics, hover, layout on save, as a person has them.
local function must(what, text)
  if not what then
    print("neovim: " .. text)
    vim.cmd("cquit 1")
  end
end

local ok, why = pcall(function()
  vim.g.nsm_command = vim.env.NSM
  vim.cmd("filetype plugin indent on")
  vim.cmd("syntax on")
  vim.cmd("edit bad.nsm")
  must(vim.bo.filetype == "nsm", "the file has another type: " .. vim.bo.filetype)
  must(vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end, 20), "no diagnostics")
  local d = vim.diagnostic.get(0)[1]
  must(d.code == "E0201" or (d.user_data and d.user_data.lsp.code == "E0201"), "another diagnostic: " .. vim.inspect(d))
  local id = vim.fn.synIDattr(vim.fn.synID(1, 1, 1), "name")
  must(id == "nsmItem", "`model` is not coloured: " .. id)
  vim.api.nvim_buf_set_text(0, 0, d.col, 0, d.end_col, { "x" })
  must(vim.wait(20000, function() return #vim.diagnostic.get(0) == 0 end, 20), "mended, and still complained about")
  local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 0, character = 16 } }
  local answer = vim.lsp.buf_request_sync(0, "textDocument/hover", params, 20000)
  local text = vim.inspect(answer)
  must(text:find("state of first order"), "hover says " .. text)
  vim.cmd("edit! good.nsm")
  vim.cmd("write")
end)
must(ok, tostring(why))
print("neovim: ok")
vim.cmd("qall!")
