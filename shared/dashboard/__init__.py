"""What Ray dashboards answer: the adapters of `shared.ports.dashboard`."""
