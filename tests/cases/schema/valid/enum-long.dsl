"alternative number 0" | "alternative number 1" | "alternative number 2" | "alternative number 3" | "alternative number 4" | "alternative number 5" | "alternative number 6" | "alternative number 7"
