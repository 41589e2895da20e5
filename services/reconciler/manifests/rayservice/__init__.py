"""What a RayService asks Kubernetes and Ray Serve for: clusters, services, what to run. Pure."""
