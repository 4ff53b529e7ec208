import { parseAllow } from "@ci/kit/net/guard";
import { openSftp } from "./sftp.js";

/** TCP has no route to the broadcast address, so connecting to it fails at once. */
const unroutable = "255.255.255.255";
const guard = {
  allow: parseAllow(unroutable),
  resolver: async () => [{ address: unroutable, family: 4 }],
};

test.each([
  ["authentication failed", "without a user", "sftp://:secret@images.test/disk"],
  ["host unreachable", "with a user", "sftp://ada:secret@images.test/disk"],
])("fails with %s for a URL %s whose host has no route, and nothing else fails", async (reason, _what, url) => {
  await expect(openSftp({ guard }, new URL(url), new AbortController().signal)).rejects.toMatchObject({ reason });
});
