autocmd BufNewFile,BufRead *.pdl setfiletype pdl-prompt
