yesno
