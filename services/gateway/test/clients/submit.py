"""Submits a build through the client that openapi-python-client has generated: URL TOKEN MANIFEST."""

import json
import sys

from ci_client import AuthenticatedClient
from ci_client.api.builds import get_build, submit_build
from ci_client.models import Build, SubmitBuildBody

url, token, manifest = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True)
submitted = submit_build.sync(client=client, body=SubmitBuildBody(manifest=manifest, comment="generated"))
assert isinstance(submitted, Build), submitted
build = get_build.sync(submitted.user.username, submitted.number, client=client)
assert isinstance(build, Build), build
print(json.dumps({"id": build.id, "comment": build.trigger.comment, "status": build.status}))
