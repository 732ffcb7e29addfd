yesno | int
