str { len_min: 1, len_max: 80 }
