str { gbnf: '"\"" [A-Z]{3} "\""' }
