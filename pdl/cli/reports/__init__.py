"""Results as text, as JSON, as what GitHub reads: functions from a result to a text."""
