{ a: string, b: integer, c: number, d: boolean, e: null }
