" Two blanks for each bracket that is open at the begin of the line.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1
setlocal indentexpr=NsmIndent() indentkeys=0{,0},0),0],!^F,o,O
let b:undo_indent = 'setlocal indentexpr< indentkeys<'

function! NsmIndent() abort
  let l:before = prevnonblank(v:lnum - 1)
  if l:before == 0
    return 0
  endif
  let l:text = substitute(getline(l:before), '//.*$\|"[^"]*"', '', 'g')
  let l:depth = len(substitute(l:text, '[^{(\[]', '', 'g')) - len(substitute(l:text, '[^})\]]', '', 'g'))
  let l:starts = l:text =~# '^\s*[})\]]' ? 1 : 0
  let l:ends = getline(v:lnum) =~# '^\s*[})\]]' ? 1 : 0
  return max([0, indent(l:before) + shiftwidth() * (max([l:depth + l:starts, min([0, l:depth + l:starts])]) - l:ends)])
endfunction
