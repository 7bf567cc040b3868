"""Everything that reads ``knowledge/``: schemas, loader, look-ups by name.

Data flows out of this room as frozen records. Nothing here sizes, decides or prints.
"""
