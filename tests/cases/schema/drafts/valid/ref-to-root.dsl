Answer
// A tree.
Answer = { kids: [Answer] }
