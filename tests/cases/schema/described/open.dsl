{ id: uuid, site: uri, mail: email<,80>, at: datetime, [str]: any }
