int { min: -3, max: 5 }
