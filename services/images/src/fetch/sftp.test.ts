import { parseAllow } from "@ci/kit/net/guard";
import { anSftpServer } from "../../test/_sftp-server.js";
import { openSftp } from "./sftp.js";

/** TCP has no route to the broadcast address, so connecting to it fails at once. */
const unroutable = "255.255.255.255";
const guard = {
  allow: parseAllow(unroutable),
  resolver: async () => [{ address: unroutable, family: 4 }],
};

const local = { guard: { allow: parseAllow("127.0.0.1") } };

test.each([
  ["authentication failed", "without a user", "sftp://:secret@images.test/disk"],
  ["host unreachable", "with a user", "sftp://ada:secret@images.test/disk"],
])("fails with %s for a URL %s whose host has no route, and nothing else fails", async (reason, _what, url) => {
  await expect(openSftp({ guard }, new URL(url), new AbortController().signal)).rejects.toMatchObject({ reason });
});

test("a download from a server whose file handles are longer than SFTP allows fails", async () => {
  await using server = await anSftpServer({ files: { "/disk": Buffer.from("disk") }, handleBytes: 257 });
  await expect(openSftp(local, new URL(server.url("/disk")), new AbortController().signal)).rejects.toMatchObject({
    reason: "file cannot be read",
  });
});

test("a server that announces far more questions than it asks fills no memory", async () => {
  const files = { "/disk": Buffer.from("disk") };
  await using server = await anSftpServer({ files, keyboardInteractive: true, announcedPrompts: 2 ** 25 - 1 });
  const peakMiB = () => process.resourceUsage().maxRSS / 1024;
  const before = peakMiB();
  await expect(openSftp(local, new URL(server.url("/disk")), new AbortController().signal)).rejects.toMatchObject({
    reason: "connection reset",
  });
  expect(peakMiB() - before).toBeLessThan(128);
});
