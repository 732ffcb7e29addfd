```yaml
type: object
```
