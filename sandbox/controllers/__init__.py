"""The controllers of the sandbox cluster: each a pure step from a world and a moment to changes.

world.py        what a step sees (`World`) and what it asks for (`Steps`)
everything.py   all controllers in one step
scenario.py     how pods fare: delays and mishaps, by rules a person writes
kubelet.py      pods from Pending to gone: timeline.py says when, containers.py how each runs,
                vitals.py sums up a moment; podstatus.py, podconditions.py and containerstatus.py
                put it in Kubernetes' words
nodes.py        which node, and is it lost       garbage.py     owners and dependents
endpoints.py    services to endpoint slices      namespaces.py  emptying a dying namespace
jobs.py         the pods of a Job                jobstatus.py   what they add up to
"""
