{ a?: MyNode2, b?: MyNode, c?: T이름 }
MyNode2 = int
MyNode = str
T이름 = bool
