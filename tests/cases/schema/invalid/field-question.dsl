{ name?: }
