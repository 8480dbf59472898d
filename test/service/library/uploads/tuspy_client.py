"""Uploads one file with tuspy, the official Python client of tus: ADDRESS TOKEN FILE."""

import sys

from tusclient import client

address, token, file = sys.argv[1:]
tus = client.TusClient(address, headers={"Authorization": "Bearer " + token})
tus.uploader(file, chunk_size=100_000).upload()
