["red" | "green"]<1,2> { unique: true }
