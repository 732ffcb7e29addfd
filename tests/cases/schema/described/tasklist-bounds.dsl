tasklist<1,3>
