" Layout, comments, and, in Neovim, the language server. Settings, in the vimrc:
"   let g:nsm_command = 'nsm'           the program
"   let g:nsm_format_on_save = 1        layout when a file is saved; 0: not
"   let g:nsm_server = 1                Neovim: start `nsm lsp`; 0: not
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=//\ %s comments=s1:/*,mb:*,ex:*/,:// suffixesadd=.nsm
setlocal shiftwidth=2 softtabstop=2 expandtab textwidth=120 formatoptions-=t
let &l:include = '^\s*import'
let b:undo_ftplugin = 'setlocal commentstring< comments< suffixesadd< shiftwidth< softtabstop< expandtab<'
      \ . ' textwidth< formatoptions< include<'

let s:command = get(g:, 'nsm_command', 'nsm')
let &l:makeprg = s:command . ' check %:S'
let &l:errorformat = '%Eerror[%.%#]: %m,%Wwarning[%.%#]: %m,%C %#--> %f:%l:%c,%-G%.%#'

" The buffer as `nsm fmt` lays it out; a text that cannot be read stays as it is.
function! s:Format() abort
  let l:out = systemlist(shellescape(get(g:, 'nsm_command', 'nsm')) . ' fmt -', getline(1, '$'))
  if v:shell_error || l:out ==# getline(1, '$')
    return
  endif
  let l:view = winsaveview()
  call setline(1, l:out)
  if line('$') > len(l:out)
    silent execute (len(l:out) + 1) . ',$delete _'
  endif
  call winrestview(l:view)
endfunction
command! -buffer NsmFormat call s:Format()

if get(g:, 'nsm_format_on_save', 1)
  augroup nsm_format
    autocmd! * <buffer>
    autocmd BufWritePre <buffer> call s:Format()
  augroup END
endif

if has('nvim-0.7') && get(g:, 'nsm_server', 1)
  lua require('nsm').start()
endif
