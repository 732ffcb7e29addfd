Expr
Expr = Sum | int
Sum = { left: Expr, right: Expr }
