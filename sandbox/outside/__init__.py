"""The sandbox's kubelet, scheduler and nodes as ordinary clients of any API server.

For a control plane that has no nodes, such as `tools/realkube`: pods become ready there by the same
rules and scenarios as in the sandbox, with the same scripted Ray in them. Garbage, jobs, endpoints
and namespaces are left to the controllers that control plane brings.

- `__main__.py`: `python -m sandbox.outside`
- `calls.py`: what a controller wants, as one HTTP call (pure)
- `mirror.py`: the cluster as the controllers see it, kept up from lists and watches
- `connection.py`: kubeconfig to HTTP session
- `door.py`: the kubelet's own door, through which the API server gets logs
- `certificate.py`: what that door shows, and whom it lets in
- `nameplate.py`: where the door is, written on the nodes
- `running.py`: the loop: look, step, call
"""
