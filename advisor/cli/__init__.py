"""The command line: one file per command, no logic of its own.

stdout is data, stderr is talk. Modules here import nothing heavy at the top, because
``--help`` loads all of them.
"""
