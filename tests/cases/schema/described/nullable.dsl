float<0,>?
