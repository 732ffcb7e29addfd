a(*PRUNE)b
