{ a: (int | str)<1,5> }
