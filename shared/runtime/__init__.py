"""What keeps a service running, whatever it does.

`settings` is what can be set, `options` how it is called, `reading` turns flags and environment
into it once (`kinds` and `spans` read the texts); `supervision` and `signals` start, restart, drain
and stop; `health` says over HTTP how it goes; `retry` and `backoff` name the retry policies;
`failures` is what ends a process; `clock` and `chance` are the only sources of time and luck.
"""
