{ "$ref"?: str, items?: int, "$id"?: str }
