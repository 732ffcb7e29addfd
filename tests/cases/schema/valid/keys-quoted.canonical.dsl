{ "first name": str, "last \"name": str, abc: str, "": int }
