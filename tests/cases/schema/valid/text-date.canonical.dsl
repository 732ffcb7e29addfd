date
