"""The HTTP face of the cluster: URLs in, JSON out.

app.py         routes and refusals          paths.py     from a URL to a kind
exchange.py    one request, one answer      streams.py   one watch
discovery.py   which kinds are served       openapi.py   what they look like
tables.py      objects as kubectl's tables  cells.py     the cells of built-in kinds
jsonpath.py    the cells of custom kinds    durations.py ages as people read them
"""
