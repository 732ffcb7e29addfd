"""`python -m pdl` is the command `pdl`."""

from pdl_prompts import main

main()
