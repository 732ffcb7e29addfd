int? { min: 1 }
