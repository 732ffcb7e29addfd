((int))
