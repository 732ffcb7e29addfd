{ day: date<11,20>, id: uuid { max: 30 } }
