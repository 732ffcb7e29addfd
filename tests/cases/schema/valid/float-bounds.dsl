float<,1.5>
