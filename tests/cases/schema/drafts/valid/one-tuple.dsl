[int]<1>
