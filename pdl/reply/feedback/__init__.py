"""What a refusal says to the model and to people."""
