@schemas/person.json
