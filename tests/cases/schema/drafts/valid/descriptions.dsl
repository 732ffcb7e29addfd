// Two lines
// of text
{ a?: int, b?: int }
