[int] {max : 5}
