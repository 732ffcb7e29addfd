float { gt: 0, max: 1.0, multiple: 0.25 }
