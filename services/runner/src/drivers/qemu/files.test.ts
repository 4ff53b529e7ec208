import { once } from "node:events";
import { maxNamesAtOnce } from "@ci/kit/net/ssh-limits";
import type { Client, FileEntry, ServerChannel, SFTPWrapper } from "ssh2";
import { withServer } from "../../../test/_ssh-server.js";
import type { Found } from "../../driver.js";
import { listFolder, openFile, openFiles, putFile } from "./files.js";

const [folderMode, fileMode] = [0o40755, 0o100644];
const [ok, endOfFile] = [0, 1];
type Answer = Readonly<Record<string, number>>;

/** Serves folders whose names and modes a function returns, a number of them in each response. */
function serveFolders(sftp: SFTPWrapper, entriesOf: (path: string) => Answer, atOnce: number): void {
  const opened: { entries: (readonly [string, number])[] }[] = [];
  sftp.on("OPENDIR", (id, path) => {
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(opened.push({ entries: Object.entries(entriesOf(path)) }) - 1);
    sftp.handle(id, handle);
  });
  sftp.on("READDIR", (id, handle) => {
    const folder = opened[handle.readUInt32BE()]!;
    if (folder.entries.length === 0) return sftp.status(id, endOfFile);
    const some = folder.entries.splice(0, atOnce);
    sftp.name(id, some.map(([filename, mode]) => ({ filename, longname: "", attrs: { mode } })) as FileEntry[]);
  });
  sftp.on("CLOSE", (id) => sftp.status(id, ok));
}

async function listed(entriesOf: (path: string) => Answer, atOnce = maxNamesAtOnce): Promise<Found[]> {
  const found: Found[] = [];
  const list = async (client: Client) => {
    for await (const one of listFolder(await openFiles(client), "/", Number.POSITIVE_INFINITY)) found.push(one);
  };
  await withServer({}, list, (connection) =>
    connection.on("session", (accept) => accept().on("sftp", (begin) => serveFolders(begin(), entriesOf, atOnce))),
  );
  return found;
}

test("listFolder lists folders in folders", async () => {
  const tree: Record<string, Answer> = {
    "/": { d: folderMode, f: fileMode },
    "/d": { e: folderMode },
    "/d/e": { g: fileMode },
  };
  expect(await listed((path) => tree[path]!)).toEqual([
    { path: "d", kind: "directory" },
    { path: "d/e", kind: "directory" },
    { path: "d/e/g", kind: "file" },
    { path: "f", kind: "file" },
  ]);
});

test("listFolder skips names that no file can have", async () => {
  const names = ["", ".", "..", "a/b", "n".repeat(256), "n".repeat(255)];
  const found = await listed((path) =>
    path === "/" ? Object.fromEntries(names.map((name) => [name, folderMode])) : {},
  );
  expect(found.map(({ path }) => path)).toEqual(["n".repeat(255)]);
});

test("listFolder ends, although each folder of a guest has a folder", async () => {
  const found = await listed((path) => (path.length < 8_192 ? { ["n".repeat(200)]: folderMode } : {}));
  expect(Math.max(...found.map(({ path }) => path.length))).toBe(20 * 201 - 1);
});

test("listFolder refuses folders with too many names above each other", async () => {
  const answer = { d: folderMode, ...Object.fromEntries(Array.from({ length: 8_000 }, (_, n) => [`f${n}`, fileMode])) };
  await expect(listed(() => answer)).rejects.toThrow("its folders are too large");
});

test("a server that sends more than 1,000 names at once breaks the protocol", async () => {
  const all = Object.fromEntries(Array.from({ length: maxNamesAtOnce + 1 }, (_, n) => [`f${n}`, fileMode]));
  expect(await listed((path) => (path === "/" ? all : {}))).toHaveLength(maxNamesAtOnce + 1);
  await expect(listed(() => all, maxNamesAtOnce + 1)).rejects.toThrow("The SFTP server has ended");
});

/** Sends a handle of 257 bytes, which the library refuses to send. */
function sendLongHandle(sftp: SFTPWrapper, id: number): void {
  const response = Buffer.alloc(13 + 257);
  response.writeUInt32BE(response.length - 4);
  response[4] = 102;
  response.writeUInt32BE(id, 5);
  response.writeUInt32BE(257, 9);
  const { _protocol, outgoing } = sftp as never as {
    readonly _protocol: { channelData(channel: number, bytes: Buffer): void };
    readonly outgoing: { readonly id: number };
  };
  _protocol.channelData(outgoing.id, response);
}

test("a file is neither read nor written with a handle that is longer than SFTP allows", async () => {
  const attrs = { mode: fileMode, size: 5 };
  const serve = (sftp: SFTPWrapper) => {
    sftp.on("STAT", (id, path) => sftp.attrs(id, (path === "/" ? { mode: folderMode } : attrs) as never));
    sftp.on("FSTAT", (id) => sftp.attrs(id, attrs as never));
    sftp.on("OPEN", (id) => sendLongHandle(sftp, id));
    sftp.on("REMOVE", (id) => sftp.status(id, ok));
  };
  const read = async (client: Client) => {
    const sftp = await openFiles(client);
    const message = "the image's SFTP server sends file handles that are too long";
    await expect(openFile(sftp, "/file")).rejects.toThrow(message);
    async function* content() {}
    await expect(putFile(sftp, "/file", { mode: 0o600, content: content() })).rejects.toThrow(message);
  };
  await withServer({}, read, (connection) =>
    connection.on("session", (accept) => accept().on("sftp", (begin) => serve(begin()))),
  );
});

test("requests to a server of files that has ended are refused", async () => {
  const attrs = { mode: fileMode, size: 5 };
  const serve = (sftp: SFTPWrapper) => {
    for (const name of ["STAT", "FSTAT"] as const) sftp.on(name, (id: number) => sftp.attrs(id, attrs as never));
    sftp.on("OPEN", (id) => sftp.handle(id, Buffer.from("file")));
    sftp.on("READ", () => sftp.end());
  };
  const read = async (client: Client) => {
    let ended = 0;
    const sftp = await openFiles(client, () => ended++);
    const file = await openFile(sftp, "/file");
    await expect(file.content[Symbol.asyncIterator]().next()).rejects.toThrow("No response from server");
    await expect(file.close()).rejects.toThrow("The SFTP server has ended");
    expect(ended).toBe(1);
  };
  await withServer({}, read, (connection) =>
    connection.on("session", (accept) => accept().on("sftp", (begin) => serve(begin()))),
  );
});

const version = Buffer.from([0, 0, 0, 5, 2, 0, 0, 0, 3]);

test.each([
  ["ends", Buffer.alloc(0)],
  ["breaks the protocol", Buffer.from([0, 0, 0, 1, 99])],
])("a server of files that %s as soon as it has begun has ended once", async (_, more) => {
  const read = async (client: Client) => {
    let ended = 0;
    const sftp = await openFiles(client, () => ended++);
    await expect(openFile(sftp, "/file")).rejects.toThrow("The SFTP server has ended");
    await once(client.end(), "close");
    expect(ended).toBe(1);
  };
  await withServer({}, read, (connection) =>
    connection.on("session", (accept) =>
      accept().on("subsystem", (begin: () => ServerChannel) => begin().end(Buffer.concat([version, more]))),
    ),
  );
});
