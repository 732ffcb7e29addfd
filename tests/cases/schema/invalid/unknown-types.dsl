{ a: strng, b: inteager, c: flaot, d: foo, e: [bol], f: Node | dat }
