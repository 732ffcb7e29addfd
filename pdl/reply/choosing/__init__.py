"""Which of the JSON values in a reply is the answer."""
