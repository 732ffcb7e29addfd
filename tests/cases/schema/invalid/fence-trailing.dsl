```json
{}
```
int
