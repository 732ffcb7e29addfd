tasklist<3,7>
