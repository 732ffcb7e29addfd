"""Replies that come piece by piece: what is certain of the answer so far, and what is wrong."""
