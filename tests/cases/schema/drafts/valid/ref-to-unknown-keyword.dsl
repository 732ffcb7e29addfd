// (left out: components)
[Pet]
Pet = { age?: int { gt: 0 }, [str]: any }
