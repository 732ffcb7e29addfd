Size = int<1,5>
{ a: Size }
