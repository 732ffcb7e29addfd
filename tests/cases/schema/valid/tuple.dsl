[str, int<0,>, bool?]
