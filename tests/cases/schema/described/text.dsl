str
