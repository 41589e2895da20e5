"""What `tools.generate_events` writes: schemas, examples, the AsyncAPI document and the page."""
