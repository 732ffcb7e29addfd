code { lang: "py", min: 10 }
