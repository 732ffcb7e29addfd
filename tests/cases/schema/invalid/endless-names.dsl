{ a: A } A = { b: B } B = [A]<1,>
