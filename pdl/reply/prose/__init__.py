"""The meaning of the words around an answer, and answers in prose."""
