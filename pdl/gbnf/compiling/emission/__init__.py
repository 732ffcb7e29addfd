"""From goals with their languages and machines to the rules of a grammar."""
