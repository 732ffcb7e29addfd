"""Railroad diagrams of grammars: one picture, or a page with a picture of each rule."""
