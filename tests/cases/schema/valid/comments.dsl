// A person as the text describes them.
// Only what is said.
{
  name: str, // the full name
  // in years,
  // as of today
  age: int?,
  address: { // where they live
    street: str, // with the number
                 // if there is one
    city: str
  }, // as far as known
  // email: email,

  // a section heading

  tags: [
    // one tag
    str
  ],
  kind:
    // what they are
    "person" | "company"
  // the end
}
