{ a: List[int] }
