code<10,> { lang: "py" }
