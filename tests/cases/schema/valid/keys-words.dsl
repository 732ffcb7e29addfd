{ str: str, int: int, null: null, true: bool, yesno: any, code: str }
