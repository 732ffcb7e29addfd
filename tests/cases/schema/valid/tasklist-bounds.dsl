tasklist { min: 3, max: 7 }
