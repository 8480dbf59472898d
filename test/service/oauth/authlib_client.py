"""Signs in with Authlib, unchanged, and prints one JSON line per step.

Arguments: base URL, client id, redirect URI, client secret (empty for a public client).
Prints the authorization URL, reads from standard input where the browser was sent, goes on.
"""

import json
import sys

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

base_url, client_id, redirect_uri, client_secret = sys.argv[1:5]
token_endpoint = base_url + "/api/oauth/token"


def say(**step):
    print(json.dumps(step), flush=True)


session = OAuth2Session(
    client_id,
    client_secret or None,
    token_endpoint_auth_method="client_secret_basic" if client_secret else "none",
    redirect_uri=redirect_uri,
    scope="uploads:write",
    code_challenge_method="S256",
)
verifier = generate_token(48)
url, state = session.create_authorization_url(
    base_url + "/oauth/authorize", code_verifier=verifier
)
say(authorize=url)

token = session.fetch_token(
    token_endpoint,
    authorization_response=sys.stdin.readline().strip(),
    state=state,
    code_verifier=verifier,
)
say(token_type=token["token_type"], prefix=token["access_token"][:7])
say(uploads=session.get(base_url + "/api/v1/uploads").status_code)

renewed = session.refresh_token(token_endpoint, refresh_token=token["refresh_token"])
say(rotated=renewed["refresh_token"] != token["refresh_token"])
say(uploads=session.get(base_url + "/api/v1/uploads").status_code)

revoked = session.revoke_token(
    base_url + "/api/oauth/revoke",
    token=renewed["refresh_token"],
    token_type_hint="refresh_token",
)
say(revoked=revoked.status_code)
session.token = renewed
say(uploads=session.get(base_url + "/api/v1/uploads").status_code)
