{ user: { name: str, address?: { street: str, zip: str<5> } } }
