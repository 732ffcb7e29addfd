"""Replies that stream: the part of the answer that is certain so far, and its errors."""
