" Writes the names of syntax groups of each line of the file, one stretch after another.
" Variables: g:output.
let s:out = []
for s:line in range(1, line('$'))
  let s:text = getline(s:line)
  let s:stretches = []
  let s:last = ''
  for s:column in range(1, strlen(s:text))
    if s:text[s:column - 1] =~# '[\x80-\xbf]'
      continue
    endif
    let s:name = synIDattr(synID(s:line, s:column, 1), 'name')
    let s:char = matchstr(s:text, '.', s:column - 1)
    if s:name ==# s:last && !empty(s:stretches)
      let s:stretches[-1][1] .= s:char
    else
      call add(s:stretches, [s:name, s:char])
    endif
    let s:last = s:name
  endfor
  call add(s:out, s:stretches)
endfor
call writefile([json_encode(s:out)], g:output)
qall!
