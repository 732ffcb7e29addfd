{ [int]: str }
