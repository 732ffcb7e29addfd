// Runs the examples of a page in the reader's browser.
