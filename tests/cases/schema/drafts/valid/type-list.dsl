str<1,> | int<,9> | null
