{ code: str<3> }
