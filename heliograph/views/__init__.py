"""What is shown of a history, as values; how it is printed is the command line's business. Pure."""
