import base64
import hashlib
import hmac
import re
import time


# Reports whether a request has a valid signature. body has the bytes as received; names of headers are lower case.
def verify(body, headers, secret, now_seconds=None, tolerance_seconds=300):
    id, at, signatures = (headers.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not id or not re.fullmatch("[0-9]{1,12}", at):
        return False
    now = time.time() if now_seconds is None else now_seconds
    if abs(now - int(at)) > tolerance_seconds:
        return False
    signed = f"{id}.{at}.".encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(given, expected) for given in signatures.encode().split(b" "))
