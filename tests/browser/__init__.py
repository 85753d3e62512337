"""Tests in a browser: the exported page, and the panels in JupyterLab."""
