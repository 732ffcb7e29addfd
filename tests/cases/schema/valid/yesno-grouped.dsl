(yesno) {}
