[int,]
