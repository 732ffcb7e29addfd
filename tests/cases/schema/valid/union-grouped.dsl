(int | (str | bool))?
