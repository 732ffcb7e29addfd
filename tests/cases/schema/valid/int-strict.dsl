int { gt: 0, lt: 10, multiple: 2 }
