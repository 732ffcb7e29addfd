"""Modules that stand in for packages with machine code, in a page whose Python has none of them.

They are data here: `pdl.play.archive` puts them into the page's archive under the packages' names.
"""
