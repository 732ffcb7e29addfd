"""What can be said about a grammar beside whether it parses: `lint` and its findings."""
