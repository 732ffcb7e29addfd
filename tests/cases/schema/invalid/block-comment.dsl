{ a: int /* the a */ }
