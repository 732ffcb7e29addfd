[int, str]<2,5>
