int or null
