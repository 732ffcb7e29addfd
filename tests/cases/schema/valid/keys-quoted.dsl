{ "first name": str, 'last "name': str, "a\u0062c": str, "": int }
