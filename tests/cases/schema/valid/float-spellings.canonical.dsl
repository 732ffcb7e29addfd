{ a: float<5,>, b: float<0.5,>, c: float<1000,2000>, d: float<7,> }
