from typing import TypedDict


class Person(TypedDict):
    name: str
