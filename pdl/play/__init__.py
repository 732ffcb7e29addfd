"""The playground: what a prompt, its data and a reply become while one types.

`look.look` is a pure function of texts that a page shows the result of, in a server's process or in
a browser; nothing that it needs opens sockets or starts threads.
"""
