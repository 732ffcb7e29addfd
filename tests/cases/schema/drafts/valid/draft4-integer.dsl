{ a: int<1,>, b?: int | str, c?: int | float, d?: float, [str]: any }
