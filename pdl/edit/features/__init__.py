"""What editors ask for: one function for each feature, of a workspace, a document and a place."""
