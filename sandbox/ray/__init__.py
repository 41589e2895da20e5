"""Pods that really run: each container a local process in namespaces of its own, Ray included.

- `machine.py`: all of it, opened and closed with the sandbox; start here
- `kubelet.py`: which pods run; `podworker.py`: the life of one; `keeping.py`: of one container
- `node.py`, `anchor.py`: the private network of the pods, and who holds it open
- `container.py`, `rootfs.py`, `volumes.py`, `environment.py`: what a container sees
- `probes.py`: whether it is well; `report.py`: the status that says so
- `hosts.py`: names of services; `routes.py`, `serviceproxy.py`: their addresses
- `network.py`: the way in from outside

Images are not pulled: a container sees this machine's programs, read only, and Ray from an
environment that is given. Nothing leaves the machine, and nothing outlives the sandbox: all
processes live in a process namespace that ends with it. Pure are `environment`, `rootfs`, `hosts`,
`routes`, `report` and the values of `probes` and `volumes`.
"""
