{ mail: email<,80>, site: uri { pattern: "^https:" } }
