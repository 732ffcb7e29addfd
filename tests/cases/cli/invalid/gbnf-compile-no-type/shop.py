class Order:
    """One."""
