{ $ref: str }
