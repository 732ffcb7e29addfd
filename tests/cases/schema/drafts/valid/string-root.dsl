str<,10>
