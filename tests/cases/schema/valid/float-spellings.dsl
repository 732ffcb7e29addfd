{ a: float<5.,>, b: float<.5,>, c: float<1e3,2E+3>, d: float<007,> }
