{ [str]: float<0,1> }<1,10>
