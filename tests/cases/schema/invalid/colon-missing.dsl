{ name str }
