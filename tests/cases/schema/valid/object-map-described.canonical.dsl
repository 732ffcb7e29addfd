{
  [str]: int, // the count of a word
}
