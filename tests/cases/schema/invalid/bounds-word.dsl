str<one,80>
