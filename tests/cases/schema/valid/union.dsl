{ id: int | str, at: date | datetime | null }
