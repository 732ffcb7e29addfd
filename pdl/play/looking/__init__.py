"""The parts of `look`, a module each: from what is typed to JSON that a page shows."""
