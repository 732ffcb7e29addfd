{ name: str, nick?: str, age?: int? }
