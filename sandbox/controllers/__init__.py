"""The controllers of the sandbox cluster: each a pure step from a world and a moment to changes.

world.py        what a step sees (`World`) and what it asks for (`Steps`)
everything.py   all controllers in one step, over everything
driver.py       the same over changes alone: concerns.py says whom a change concerns, index.py
                finds objects by what controllers look for
scenario.py     how pods fare: delays and mishaps, by rules a person writes; rayrules.py: how Ray
                in them fares; pace.py: all of it faster
kubelet.py      pods from Pending to gone: timeline.py says when, containers.py how each runs,
                vitals.py sums up a moment; podstatus.py, podconditions.py and containerstatus.py
                put it in Kubernetes' words
nodes.py        which node, and is it lost       garbage.py     owners and dependents
endpoints.py    services to endpoint slices      namespaces.py  emptying a dying namespace
jobs.py         the pods of a Job                jobstatus.py   what they add up to
podlogs.py      what containers print            podevents.py   what is told about pods
told.py         processes that somebody else ends
"""
