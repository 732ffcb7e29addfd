(?:ab|a)*+b
