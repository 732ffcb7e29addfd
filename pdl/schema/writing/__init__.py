"""A schema as text: in the notation for authors, in words for models."""
