"""Where ports meet adapters: settings in, running services out.

`adapters.py` opens the bus and the cluster, one file per service builds it, `everything.py` runs
any number of them in one process.
"""
