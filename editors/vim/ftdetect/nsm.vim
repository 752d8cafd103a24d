autocmd BufRead,BufNewFile *.nsm setfiletype nsm
