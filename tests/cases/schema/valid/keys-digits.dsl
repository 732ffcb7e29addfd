{ 1: int, 2fa: bool, 18-25: int, 007: str }
