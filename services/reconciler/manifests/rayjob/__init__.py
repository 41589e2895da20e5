"""What a RayJob asks Kubernetes and Ray for: cluster, submitter, service, request. All pure."""
