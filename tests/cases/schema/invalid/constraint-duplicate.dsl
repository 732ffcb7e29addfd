str { min: 1, len_min: 2 }
