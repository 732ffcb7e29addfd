{ 이름: str, prénom: str, "नाम": str, 名前: str }
