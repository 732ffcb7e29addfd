"""Tools as text and as the dicts that providers take."""
