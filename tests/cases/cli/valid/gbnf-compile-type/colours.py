from typing import Literal

print("this is said while it is imported")

Colour = Literal["red", "green"]
