"""`pdl check --batch`: many replies of one prompt, one result line each."""
