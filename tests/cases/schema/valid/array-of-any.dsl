[any]
