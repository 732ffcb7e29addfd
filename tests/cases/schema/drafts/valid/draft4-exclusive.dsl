int<,10> { gt: 0 }
