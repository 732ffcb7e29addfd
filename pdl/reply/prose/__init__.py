"""What the words around an answer say of it, and the answers that stand in words."""
