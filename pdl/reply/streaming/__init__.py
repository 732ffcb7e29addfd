"""Replies that come piece by piece: what is certain of the answer so far, and what is wrong.

The readers here look at each character once. They know less than `pdl.check`, which sees the whole:
what cannot be read without looking ahead they do not show.
"""
