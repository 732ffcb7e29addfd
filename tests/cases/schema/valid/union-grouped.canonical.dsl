int | str | bool | null
