{
  code: str { gbnf: '"\"" [A-Z]{3} "\""' }, // as on the ticket
  seats?: [
    str<2,3> { pattern: "^[0-9]", gbnf: "root ::= \"\\\"\" [0-9]+ [A-F] \"\\\"\"\n" }?,
  ],
}
