{ tags: str[] }
