{ [str]: int }<1,10>
