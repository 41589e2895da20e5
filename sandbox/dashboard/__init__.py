"""A scripted Ray inside the pods of the sandbox: dashboards, agents and Serve proxies that answer.

fleet.py            every head of the cluster, what it remembers, who is behind an address
heads.py            what of Ray runs in a pod     memory.py       what a head remembers
answering.py        the routes                    replies.py      questions and answers as values
job_requests.py     the Jobs API                  jobs.py         a job at one moment
serve_requests.py   the Serve API                 serve.py        Serve at one moment
serve_schema.py     what is wrong with a configuration            serve_shapes.py  its defaults
submitters.py       pods that submit jobs         commands.py     what their command lines say
door.py             the way in for everybody outside: an HTTP proxy on loopback

Answers have the shape of those recorded from Ray 2.60. How things go is told by a script
(`sandbox.controllers.rayrules`). All of it is pure but door.py.
"""
