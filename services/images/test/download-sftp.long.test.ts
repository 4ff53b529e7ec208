import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { parseAllow } from "@ci/kit/net/guard";
import type { Image } from "@ci/proto/images/v1/images";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { type Algorithms, utils } from "ssh2";
import type { Config } from "../src/config.js";
import { anSftpServer, costlyKey, type SftpOptions } from "./_sftp-server.js";
import { imagesSuite, MiB } from "./_suite.js";

const content = aDisk({ sizeBytes: 3 * MiB + 12_345 });
const files = { "/disks/a disk": content, "/text": Buffer.from("no image"), "/empty": Buffer.alloc(0) };

const service = imagesSuite();
let ada: User;
beforeEach(async () => {
  ada = await service.aUser();
});

const outcome = async (url: string): Promise<Image> => service.finished(ada, await service.download(ada, url));

describe("succeeds", () => {
  test.each<[string, Omit<SftpOptions, "files">]>([
    ["a normal server", {}],
    ["a server that sends less than requested", { maxReadBytes: 30_000 }],
    [
      "a server without fstat",
      { onFstat: (sftp, requestId) => sftp.status(requestId, utils.sftp.STATUS_CODE.OP_UNSUPPORTED) },
    ],
    ["a server that requires keyboard-interactive authentication", { keyboardInteractive: true }],
  ])("stores the content from %s", async (_server, options) => {
    await using server = await anSftpServer({ files, ...options });
    const image = await outcome(server.url("/disks/a%20disk"));
    expect(image).toMatchObject({ size: content.length, download: { error: undefined } });
    expect(image.download!.source).toBe(server.url("/disks/a%20disk").replace("s%20cret", "xxxxxx"));
    expect((await service.read(ada, image.id)).equals(content)).toBe(true);
    expect(server.opened).toEqual(["/disks/a disk"]);
  });

  test("stores the content at the second attempt if the first was interrupted", async () => {
    await using server = await anSftpServer({ files, readsBeforeHangUp: 40 });
    const image = await outcome(server.url("/disks/a%20disk"));
    expect(image).toMatchObject({ size: content.length, download: { error: undefined } });
    expect((await service.read(ada, image.id)).equals(content)).toBe(true);
    expect(server.connections()).toBe(2);
  });
});

describe("failures", () => {
  test.each([
    ["no such file", "/missing"],
    ["permission denied", "/forbidden"],
    ["File not a valid QCOW2 file format", "/text"],
    ["File not a valid QCOW2 file format", "/empty"],
  ])("fails with %s for %s after one attempt", async (error, path) => {
    await using server = await anSftpServer({ files });
    expect((await outcome(server.url(path))).download).toMatchObject({ error });
    expect(server.connections()).toBe(1);
  });

  test.each([
    ["another password", "ada:wrong@"],
    ["another user", "bob:s%20cret@"],
    ["no user", ":s%20cret@"],
  ])("fails with authentication failed for %s after one attempt", async (_what, credentials) => {
    await using server = await anSftpServer({ files });
    const url = server.url("/text").replace(/ada:.*@/, credentials);
    expect((await outcome(url)).download).toMatchObject({ error: "authentication failed" });
    expect(server.connections()).toBeLessThan(2);
  });

  test("fails with authentication failed for a server that asks for the password too often", async () => {
    await using server = await anSftpServer({ files, keyboardInteractive: true, prompts: 17 });
    const { download } = await outcome(server.url("/disks/a%20disk"));
    expect(download).toMatchObject({ error: "authentication failed" });
    expect(server.connections()).toBe(1);
  });

  test.each<[string, Algorithms]>([
    ["C->S compression", { compress: ["zlib@openssh.com", "zlib"] }],
    ["key exchange algorithm", { kex: ["diffie-hellman-group-exchange-sha256"] }],
  ])("fails with SSH handshake failed: no matching %s for a server with only %j", async (what, algorithms) => {
    await using server = await anSftpServer({ files, algorithms });
    await using impatient = await service.bootAnother({ downloadAttempts: 1 });
    const image = await impatient.download(ada, server.url("/disks/a%20disk"));
    const error = `SSH handshake failed: no matching ${what}`;
    expect((await impatient.finished(ada, image)).download).toMatchObject({ error });
    expect(server.opened).toEqual([]);
  });

  test("fails with SSH handshake failed for a server whose host key has a long exponent", async () => {
    await using server = await anSftpServer({ files, hostKey: costlyKey() });
    await using impatient = await service.bootAnother({ downloadAttempts: 1 });
    const image = await impatient.download(ada, server.url("/disks/a%20disk"));
    expect((await impatient.finished(ada, image)).download).toMatchObject({ error: "SSH handshake failed" });
    expect(server.opened).toEqual([]);
  });

  test("fails with timeout if the server stays silent for the time in the query", async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    await using impatient = await service.bootAnother({ downloadAttempts: 1 });
    const image = await impatient.download(ada, `sftp://ada:secret@127.0.0.1:${port}/disk?timeout=0.2`);
    expect((await impatient.finished(ada, image)).download).toMatchObject({ error: "timeout" });
    await once(silent.close(), "close");
  });

  test("fails with server too slow if the server stays silent, even if the query allows it more time", async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    await using hasty = await service.bootAnother({ downloadAttempts: 1, downloadStallMs: 1 });
    const image = await hasty.download(ada, `sftp://ada:secret@127.0.0.1:${port}/disk?timeout=600`);
    const error = "server too slow: less than 60 KiB in 0.001 s";
    expect((await hasty.finished(ada, image)).download).toMatchObject({ error });
    await once(silent.close(), "close");
  });

  test.each<[string, string, Partial<Config>, SftpOptions["onFstat"]]>([
    ["server too slow: less than 60 KiB in 0.001 s", "does not respond", { downloadStallMs: 1 }, () => {}],
    ["connection reset", "closes the connection", {}, (_sftp, _requestId, connection) => connection.end()],
    ["network error", "closes only the channel", {}, (sftp) => sftp.end()],
  ])("fails with %s if the server %s when asked for the file's size", async (error, _what, settings, onFstat) => {
    await using server = await anSftpServer({ files, onFstat: onFstat! });
    await using other = await service.bootAnother({ downloadAttempts: 1, ...settings });
    const image = await other.download(ada, server.url("/disks/a%20disk"));
    expect((await other.finished(ada, image)).download).toMatchObject({ error });
  });

  test("a server that sends ever smaller pieces cannot make the service wait for more and more of them", async () => {
    await using server = await anSftpServer({ files, shrinks: true });
    await using hasty = await service.bootAnother({ downloadAttempts: 1, downloadStallMs: 1 });
    const image = await hasty.download(ada, server.url("/disks/a%20disk"));
    const error = "server too slow: less than 60 KiB in 0.001 s";
    expect((await hasty.finished(ada, image)).download).toMatchObject({ error });
    expect(server.ignored()).toBeLessThan(64);
  });

  test("fails with timeout if the attempt takes too long", async () => {
    await using server = await anSftpServer({ files, maxReadBytes: 1 });
    await using hasty = await service.bootAnother({ downloadAttempts: 1, downloadTimeoutMs: 300 });
    const image = await hasty.download(ada, server.url("/disks/a%20disk"));
    expect((await hasty.finished(ada, image)).download).toMatchObject({ error: "timeout" });
  });

  test("fails with address not allowed even for a spelling that only the resolver understands", async () => {
    await using server = await anSftpServer({ files });
    await using strict = await service.bootAnother({}, { guard: { allow: parseAllow("") } });
    for (const host of ["127.0.0.1", "0x7f.1"]) {
      const image = await strict.download(
        ada,
        server.url("/text").replace("127.0.0.1", host),
        host.replace(/\./g, "_"),
      );
      expect((await strict.finished(ada, image)).download).toMatchObject({ error: "address not allowed" });
    }
    expect(server.connections()).toBe(0);
  });

  test("fails with connection refused", async () => {
    const server = await anSftpServer({ files });
    await server[Symbol.asyncDispose]();
    expect((await outcome(server.url("/text"))).download).toMatchObject({ error: "connection refused" });
  });
});
