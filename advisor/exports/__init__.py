"""What the knowledge says, for people without the program: pages, tables, rules, diagrams.

Every function returns text for the same knowledge the same, byte for byte; nothing is written here.
"""
