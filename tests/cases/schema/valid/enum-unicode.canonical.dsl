"예" | "아니오" | "naïve" | "tab\there"
