tasklist { min: -1, lang: "md" }
