{ [str]: [float] }
