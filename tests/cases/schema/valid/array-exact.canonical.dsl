[str]<3>
