" Prompt files of pdl: settings of the buffer, in Vim and Neovim.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring={#\ %s\ #} comments=:// formatoptions-=t expandtab shiftwidth=2 softtabstop=2
let b:match_words = '{%-\?\s*if\>:{%-\?\s*elif\>:{%-\?\s*else\>:{%-\?\s*endif\>,'
      \ . '{%-\?\s*\(for\|macro\|block\|call\|filter\|with\|raw\)\>:{%-\?\s*end\1\>'
let b:undo_ftplugin = 'setlocal commentstring< comments< formatoptions< expandtab< shiftwidth<'
      \ . ' softtabstop< | unlet! b:match_words'
