{ name }
