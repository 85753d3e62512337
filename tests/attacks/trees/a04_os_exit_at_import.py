"""Ends the process, with success, while it is being imported."""

import os

os._exit(0)
