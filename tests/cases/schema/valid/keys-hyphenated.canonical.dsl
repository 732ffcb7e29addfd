{ content-type: str, x--y: int, "-a": int }
