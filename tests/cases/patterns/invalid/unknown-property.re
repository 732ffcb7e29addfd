\p{Nope}
