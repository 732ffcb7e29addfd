"done"
