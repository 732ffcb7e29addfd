"""JSON Schema of any draft from 4 on, brought to one normal form of 2020-12."""
