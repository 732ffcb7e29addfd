yesno { min: 1 }
