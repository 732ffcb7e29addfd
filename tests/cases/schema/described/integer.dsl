int<1,10> // how good it is
