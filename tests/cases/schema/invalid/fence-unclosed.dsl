```json
{}
