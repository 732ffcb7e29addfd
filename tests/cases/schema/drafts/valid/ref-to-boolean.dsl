[Ref1]
Ref1 = any
