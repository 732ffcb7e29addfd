{ age: int<0,120>, low: int<-5,>, high: int<,-1>, one: int<7,7> }
