int { min: 1
