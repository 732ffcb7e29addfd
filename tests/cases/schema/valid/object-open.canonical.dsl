{ name: str, [str]: any }
