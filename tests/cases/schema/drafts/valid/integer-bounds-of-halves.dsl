int<1,9>
