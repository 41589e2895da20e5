"""A real Kubernetes control plane for tests: etcd, API server and controllers as plain processes.

- `__main__.py`: the commands; start here
- `pins.py`: which versions, read from `go/go.mod`
- `assets.py`: where the programs are: given, cached, or to be built
- `building.py`, `progress.py`: built once from their Go modules, with something to look at
- `certificates.py`, `flags.py`, `kubeconfig.py`: what the programs are told
- `controlplane.py`: start, wait until it can be used, stop
- `instances.py`, `identities.py`, `locks.py`: who runs in which folder, and who uses it

Everything listens on loopback only. There is no node: nothing runs pods. Read next:
`docs/internals/real-control-plane.md`.
"""
