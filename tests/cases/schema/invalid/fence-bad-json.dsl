```json
{ "type": "object", }
```
