// Is it spam?
yesno
