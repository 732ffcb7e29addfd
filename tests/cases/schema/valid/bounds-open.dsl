int<,>
