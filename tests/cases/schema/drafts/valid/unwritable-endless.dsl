no value of `A` is ever complete, so the notation has no way to write it
