{ a: int, b: int, [str]: any }<,1>
