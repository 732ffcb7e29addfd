" Prompt files of pdl: turns, the types in them, media tags, and the Jinja template in all of them.
if exists('b:current_syntax')
  finish
endif
let s:cpo = &cpo
set cpo&vim

syn sync fromstart
syn spell toplevel

" A marker is alone on its line. Tags beside it don't count: they can render to nothing.
let s:begin = '\%(^\|\%([%#]}\)\@2<=\)\s*<|\s*'
let s:end = '\s*|>\ze\s*\%($\|{[%#]\)'
let s:next = '\%(^\|\%([%#]}\)\@2<=\)\ze\s*<|\s*\%(\%(system\|user\|assistant\|schema\|reasoning'
      \ . '\|input\|tools\|config\)\s*|>\s*\%($\|{[%#]\)\|{{\)'

" The template
syn cluster pdlTemplate contains=pdlTemplateComment,pdlRaw,pdlTag,pdlExpression
syn cluster pdlInTag contains=pdlBraces,pdlTagString,pdlTagNumber,pdlTagName,pdlTagCall,pdlFilter
      \,pdlTest,pdlAttribute,pdlTagWord,pdlTagConstant,pdlTagBuiltin,pdlStatement
syn region pdlTemplateComment start=/{#/ end=/#}/ contains=@Spell
syn region pdlTag matchgroup=pdlDelimiter start=/{%[-+]\?/ end=/[-+]\?%}/ end=/^\ze\s*<|/ contains=@pdlInTag
syn region pdlExpression matchgroup=pdlDelimiter start=/{{[-+]\?/ end=/[-+]\?}}/ end=/^\ze\s*<|/ contains=@pdlInTag
syn region pdlRaw matchgroup=pdlStatement start=/{%[-+]\?\s*raw\s*[-+]\?%}/ end=/{%[-+]\?\s*endraw\s*[-+]\?%}/ contains=@Spell
syn region pdlBraces contained transparent start=/{/ end=/}/ end=/^\ze\s*<|/ contains=@pdlInTag
syn region pdlTagString contained start=/"/ skip=/\\./ end=/"/ end=/^\ze\s*<|/
syn region pdlTagString contained start=/'/ skip=/\\./ end=/'/ end=/^\ze\s*<|/
syn match pdlTagName contained /\<\h\w*\>/
syn match pdlTagCall contained /\<\h\w*\ze\s*(/
syn match pdlTagNumber contained /\<\d[0-9_]*\%(\.\d\+\)\?\%([eE][-+]\?\d\+\)\?/
syn match pdlTagWord contained /\<\%(and\|or\|not\|in\|is\|if\|else\|import\|as\|with\|without\|context\|ignore\|missing\|recursive\)\>/
syn match pdlTagConstant contained /\<\%([Tt]rue\|[Ff]alse\|[Nn]one\)\>/
syn match pdlTagBuiltin contained /\<\%(loop\|schema\|self\|super\|caller\)\>/
syn match pdlTest contained /\%(\<is\s\+\%(not\s\+\)\?\)\@32<=\%(not\>\)\@!\h\w*/
syn match pdlFilter contained /\%(|\s*\)\@8<=\h\w*/
syn match pdlAttribute contained /\.\@1<=\h\w*/
syn match pdlStatement contained /\%({%[-+]\?\s*\)\@16<=\h\w*/

" Text of messages
syn match pdlTurn /\c\%(^\|\%([%#]}\)\@2<=\)\s*<|\s*\%(system\|user\|assistant\|reasoning\)\s*|>\ze\s*\%($\|{[%#]\)/
syn match pdlTurn /\%(^\|\%([%#]}\)\@2<=\)\s*<|\ze\s*{{/
syn match pdlTurn /|>\ze\s*$/
syn match pdlEscape /&lt;|&gt;\|&lt;|\||&gt;\|&amp;/
syn region pdlMedia matchgroup=pdlMediaTag start=/\c<|\s*\%(raw_\)\?media\s*(/ end=/)\?\s*|>/ end=/\ze<|/ contains=@pdlTemplate

" Turns with types
syn cluster pdlTyped contains=@pdlTemplate,pdlComment,pdlString,pdlNumber,pdlWord,pdlType,pdlDefined
      \,pdlConstant,pdlKey,pdlTool,pdlFile,pdlFence
exe 'syn region pdlTypes matchgroup=pdlTurn start=/\c' . s:begin . '\%(schema\|input\|tools\)' . s:end
      \ . '/ end=/\c' . s:next . '/ contains=@pdlTyped'
syn region pdlComment contained oneline excludenl start=+//+ end=/$/ contains=@pdlTemplate,@Spell
syn region pdlString contained oneline excludenl start=/"/ skip=/\\./ end=/"/ end=/$/ contains=@pdlTemplate
syn region pdlString contained oneline excludenl start=/'/ end=/'/ end=/$/ contains=@pdlTemplate
syn match pdlNumber contained /-\?\%(\d\+\.\?\d*\|\.\d\+\)\%([eE][-+]\?\d\+\)\?/
syn match pdlWord contained /[[:alpha:]_][[:alnum:]_.-]*/
syn match pdlDefined contained /\<\u[[:alnum:]_.-]*/
syn match pdlType contained /\<\%(str\|string\|int\|integer\|float\|number\|bool\|boolean\|null\|any\|date\|time\|datetime\|duration\|email\|uri\|uuid\|ipv4\|ipv6\|yesno\|code\|tasklist\)\>[[:alnum:]_.-]\@!/
syn match pdlConstant contained /\<\%(true\|false\|null\)\>[[:alnum:]_.-]\@!/
syn match pdlKey contained /\%("[^"\\{]*"\|'[^'{]*'\|[[:alnum:]_.-]\+\)\ze\s*?\?\s*:/
syn match pdlTool contained /\<[[:alnum:]_.-]\+\ze\s*(/
syn match pdlFile contained /@[^[:space:]{]\+/
syn match pdlFence contained /```[[:alnum:]_-]*/

" Settings
exe 'syn region pdlConfig matchgroup=pdlTurn start=/\c' . s:begin . 'config' . s:end
      \ . '/ end=/\c' . s:next . '/ contains=@pdlTemplate,pdlConfigComment,pdlSetting'
syn match pdlConfigComment contained +^\s*//.*+ contains=@Spell
syn match pdlSetting contained /^\s*[^[:space:]:{<]\+\ze\s*:/ nextgroup=pdlSettingColon skipwhite
syn match pdlSettingColon contained /:/ nextgroup=pdlValue skipwhite
syn region pdlValue contained oneline excludenl start=/\S/ end=/$/ contains=@pdlTemplate,pdlValueString,pdlValueNumber,pdlConstant
syn region pdlValueString contained oneline excludenl start=/"/ skip=/\\./ end=/"/ end=/$/ contains=@pdlTemplate
syn match pdlValueNumber contained /\%([[:space:],[]\)\@1<=-\?\d\+\%(\.\d\+\)\?\%([eE][-+]\?\d\+\)\?[^[:space:],\]]\@!/

" Files of cases: no template; a section ends at the next mark, whatever is open in it
if expand('%:t') =~? '\.tests\.pdl$'
  syn clear pdlTurn pdlTypes pdlConfig pdlTemplateComment pdlTag pdlExpression pdlRaw pdlMedia pdlEscape
  let s:marks = '\s*\%(case\|data\|reply\|expect\|assert\|messages\|cases\|judge\)\s*|>'
  for [s:name, s:contained] in [
        \ ['case', 'pdlCaseName'], ['cases', 'pdlCaseFile'],
        \ ['data', 'pdlCaseFile,pdlCaseComment,pdlCaseKey,pdlCaseString'],
        \ ['reply', 'pdlCaseFile,pdlRefused,pdlCaseKey,pdlCaseString,pdlFence'],
        \ ['judge', 'pdlCaseFile,pdlCaseKey,pdlCaseString,pdlFence,pdlConstant'],
        \ ['expect', 'pdlComment,pdlCaseString,pdlNumber,pdlWord,pdlType,pdlDefined,pdlConstant,pdlKey,pdlFile,pdlFence'],
        \ ['assert', 'pdlCaseComment,@pdlInTag'],
        \ ['messages', 'pdlCaseFile,pdlCaseTurn,pdlCaseKey,pdlCaseString,pdlFence']]
    exe 'syn region pdlCaseSection matchgroup=pdlTurn keepend start=/\c^\s*<|\s*' . s:name . '\s*|>'
          \ . '/ end=/\c^\ze\s*<|' . s:marks . '/ contains=' . s:contained
  endfor
  syn match pdlCaseComment /^\s*#.*/ contains=@Spell
  syn match pdlCaseName contained /\%(|>\s*\)\@32<=\S.*/
  syn match pdlCaseFile contained /\%(|>\s*\)\@32<=\%(@.*\|[^[:space:]]\+\.pdl\>\)/
  syn match pdlRefused contained /\%(|>\s*\)\@32<=refused\>\%(\s\+\%(absent\|truncated\|unparsable\|wrong-schema\|ambiguous\|elided\|limit\)\s*$\)\?/
  syn match pdlCaseKey contained /"[^"\\]*"\ze\s*:/
  syn match pdlCaseKey contained /^\s*\%(-\s\+\)*\zs[[:alpha:]_][[:alnum:]_-]*\ze:\%(\s\|$\)/
  syn match pdlCaseString contained /"\%([^"\\]\|\\.\)*"\%(\s*:\)\@!/
  syn match pdlCaseTurn contained /\c^\s*<|\s*\%(system\|user\|assistant\|schema\|reasoning\|input\|tools\|config\)\s*|>\s*$/
  unlet s:marks s:name s:contained
endif

hi def link pdlCaseName Identifier
hi def link pdlCaseFile Include
hi def link pdlCaseComment Comment
hi def link pdlCaseKey Identifier
hi def link pdlCaseString String
hi def link pdlCaseTurn Statement
hi def link pdlRefused Statement
hi def link pdlTurn Title
hi def link pdlDelimiter PreProc
hi def link pdlStatement Statement
hi def link pdlTagWord Statement
hi def link pdlTagName Identifier
hi def link pdlAttribute Identifier
hi def link pdlTagBuiltin Special
hi def link pdlTagCall Function
hi def link pdlFilter Function
hi def link pdlTest Function
hi def link pdlTagString String
hi def link pdlTagNumber Number
hi def link pdlTagConstant Constant
hi def link pdlTemplateComment Comment
hi def link pdlEscape SpecialChar
hi def link pdlMediaTag Function
hi def link pdlMedia String
hi def link pdlComment Comment
hi def link pdlString String
hi def link pdlNumber Number
hi def link pdlType Type
hi def link pdlDefined Structure
hi def link pdlConstant Constant
hi def link pdlKey Identifier
hi def link pdlTool Function
hi def link pdlFile Include
hi def link pdlFence Delimiter
hi def link pdlConfigComment Comment
hi def link pdlSetting Identifier
hi def link pdlValue String
hi def link pdlValueString String
hi def link pdlValueNumber Number

let b:current_syntax = 'pdl-prompt'
let &cpo = s:cpo
unlet s:cpo s:begin s:end s:next
