```json
{ "type": "strng", "minLength": -1 }
```
