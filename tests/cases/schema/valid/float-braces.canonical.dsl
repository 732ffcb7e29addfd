float<,1> { gt: 0, multiple: 0.25 }
