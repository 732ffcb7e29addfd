[int | str]<3>
