{ [str]: int, [str]: str }
