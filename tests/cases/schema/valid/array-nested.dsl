[[float]<2>]<2>
