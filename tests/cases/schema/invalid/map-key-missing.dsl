{ []: str }
