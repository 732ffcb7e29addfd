"""From a part of a reply that looks like JSON to its value."""
