Answer
Answer = { kids?: [Answer] }
