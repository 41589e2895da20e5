"""The sandbox's kubelet, scheduler and nodes as ordinary clients of any API server.

For a control plane that has no nodes, such as `tools/realkube`: pods become ready there by the same
rules and scenarios as in the sandbox, with the same scripted Ray in them. Garbage, jobs, endpoints
and namespaces are left to the controllers that control plane brings.

- `__main__.py`: `python -m sandbox.outside`
- `calls.py`: what a controller wants, as one HTTP call (pure)
- `mirror.py`: the cluster as the controllers see it, kept up from lists and watches
- `connection.py`: kubeconfig to HTTP session
- `running.py`: the loop: look, step, call
"""
