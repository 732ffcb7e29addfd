[z-a]
