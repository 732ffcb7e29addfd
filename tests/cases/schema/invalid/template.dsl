{ a: {{ type }} }
