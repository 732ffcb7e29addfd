float<,1e999>
