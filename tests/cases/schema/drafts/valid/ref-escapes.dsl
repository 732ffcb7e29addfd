{ a?: ABC, b?: WithBlank }
ABC = int
WithBlank = str
