"spam" | "ham"
