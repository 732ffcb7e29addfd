// A person as the text describes them.
// Only what is said.
{
  name: str, // the full name
  // in years,
  // as of today
  age: int?,
  // where they live
  // as far as known
  address: {
    // with the number
    // if there is one
    street: str,
    city: str,
  },
  tags: [str], // one tag
  kind: "person" | "company", // what they are
}
