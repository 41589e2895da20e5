"""The bus: ordered streams with compare-and-set, over NATS JetStream and in memory.

The port is `shared.ports.event_log`. `jetstream.py` and `memory.py` keep its promises, and one
suite in `tests/contract` holds both to them. `streams.py` declares what a server must have,
`server.py` runs a server of our own. Above the port: `commit.py` writes once although answers get
lost, `members.py` shares partitions between processes, `leases.py` keeps single writers single.
"""
