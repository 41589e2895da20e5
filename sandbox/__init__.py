"""A Kubernetes cluster in one process, for demos and tests; it knows nothing of our services.

cluster.py     the cluster as an object: verbs, subscriptions, `step`; for simulations
server.py      the same over HTTP on a real clock, for kubectl and any other client
requests.py    what is asked                    errors.py      how it is refused
store.py       objects and revisions            history.py     what happened lately
kinds.py       which kinds exist                builtin.py, crds.py  where kinds come from
reading.py, writing.py, removing.py, watching.py  the verbs
admission.py, lifecycle.py, deletion.py  their rules, with decoding.py, defaults.py,
               validation.py and immutability.py for what objects may say
driving.py     the controllers at work          faults.py      refusals on purpose, in process
troubles.py    what clients over HTTP suffer on purpose
dashboard/     a scripted Ray in the pods       outside/       the same beside a real API server
ray/           pods that really run, on this machine, with a real Ray
patches/  schemas/  controllers/  api/          patch forms, CRD schemas, controllers, HTTP
access/        who asks, and whether roles allow it; hooks/  webhooks that are asked before a write

Faithful: revisions, conflicts, watches with resume, generations, finalizers, owner garbage
collection, CRDs, access rules, managed fields, validating webhooks. docs/internals/sandbox.md says
what is imitated, case by case, and what is not.
"""
