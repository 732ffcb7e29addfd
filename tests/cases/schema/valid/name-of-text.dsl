Title
Title = str<1,80>
