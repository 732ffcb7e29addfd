int<0,5> { max: 9 }
