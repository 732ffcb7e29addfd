{ day: date = "2023-02-29", at?: datetime = "2024-01-02", to: email = "ann" }
