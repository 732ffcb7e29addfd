Total = complex
