import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@service-ci/client";
import { download, type Wanted } from "../src/download.js";
import { partialOf } from "../src/download-target.js";

const content = randomBytes(100_000);
const wanted = {
  path: "/b/ann/1/artifacts/a",
  name: "a",
  sizeBytes: content.length,
  sha256: createHash("sha256").update(content).digest("hex"),
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ci-download-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Downloads from a server that answers requests from an offset. Returns the offsets. */
async function downloadFrom(
  answer: (response: ServerResponse, offset: number, nth: number, headers: IncomingHttpHeaders) => void,
  content: Wanted = wanted,
  target = "a",
): Promise<number[]> {
  const offsets: number[] = [];
  const server = createServer((request, response) => {
    const offset = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    answer(response, offset, offsets.push(offset), request.headers);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const options = { client, signal: new AbortController().signal, force: false, onProgress: () => {} };
  try {
    await download(content, join(folder, target), options);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return offsets;
}

test("a connection that breaks is continued where it was", async () => {
  const offsets = await downloadFrom((response, offset, nth) => {
    response.writeHead(offset > 0 ? 206 : 200, { "Content-Length": content.length - offset });
    if (nth > 2) return response.end(content.subarray(offset));
    return response.write(content.subarray(offset, offset + 30_000), () => response.destroy());
  });
  expect(offsets).toEqual([0, 30_000, 60_000]);
  expect(readFileSync(join(folder, "a")).equals(content)).toBe(true);
  expect(readdirSync(folder)).toEqual(["a"]);
});

test("a server that ignores ranges sends everything again", async () => {
  const offsets = await downloadFrom((response, _offset, nth) => {
    response.writeHead(200, { "Content-Length": content.length });
    if (nth > 1) return response.end(content);
    return response.write(content.subarray(0, 30_000), () => response.destroy());
  });
  expect(offsets).toEqual([0, 30_000]);
  expect(readFileSync(join(folder, "a")).equals(content)).toBe(true);
});

test("a refusal is not repeated, and what arrived is kept", async () => {
  const answers: number[] = [];
  const refused = downloadFrom((response, _offset, nth) => {
    answers.push(nth);
    if (nth > 1) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Length": content.length });
    return response.write(content.subarray(0, 30_000), () => response.destroy());
  });
  await expect(refused).rejects.toMatchObject({ status: 404 });
  expect(answers).toEqual([1, 2]);
  expect(readFileSync(partialOf(join(folder, "a"), wanted))).toHaveLength(30_000);
  expect(existsSync(join(folder, "a"))).toBe(false);
});

const sendAll = (response: ServerResponse) =>
  response.writeHead(200, { "Content-Length": content.length }).end(content);

test.each([
  ["of the right hash", wanted],
  ["of a wrong hash", { ...wanted, sha256: "0".repeat(64) }],
  ["without a hash", { ...wanted, sha256: null }],
])("a file of the user that ends in .part is left alone by a download %s", async (_what, content) => {
  writeFileSync(join(folder, "a.part"), "mine");
  await downloadFrom(sendAll, content).catch(() => undefined);
  expect(readFileSync(join(folder, "a.part"), "utf8")).toBe("mine");
  expect(existsSync(join(folder, "a"))).toBe(content.sha256 !== "0".repeat(64));
});

test.each(["x".repeat(255), "ü".repeat(127), "€".repeat(85)])(
  "a name of 255 bytes is not too long: %s",
  async (name) => {
    await downloadFrom(sendAll, wanted, name);
    expect(readdirSync(folder)).toEqual([name]);
  },
);

const lastModified = "Wed, 21 Oct 2026 07:28:00 GMT";
const image = { ...wanted, sha256: null, lastModified };

/** Answers as the gateway does: with a part, unless the client's part belongs to older content. */
const sendImage = (response: ServerResponse, offset: number, _nth: number, headers: IncomingHttpHeaders) => {
  const from = headers["if-range"] === lastModified ? offset : 0;
  const length = { "Content-Length": content.length - from, "Last-Modified": lastModified };
  response.writeHead(from > 0 ? 206 : 200, length).end(content.subarray(from));
};

test.each([
  ["continued if it is of the same date", lastModified, content.subarray(0, 30_000), 30_000],
  ["begun again if it is of another date", "Wed, 21 Oct 2026 07:27:00 GMT", Buffer.alloc(30_000), 0],
])("a partial download of content without a hash is %s", async (_what, date, begun, offset) => {
  const partial = partialOf(join(folder, "a"), image);
  writeFileSync(partial, begun);
  utimesSync(partial, new Date(date), new Date(date));
  expect(await downloadFrom(sendImage, image)).toEqual([offset]);
  expect(readFileSync(join(folder, "a")).equals(content)).toBe(true);
});

test("a partial download without a hash keeps the date, so that the next one continues it", async () => {
  const refused = downloadFrom((response, _offset, nth) => {
    if (nth > 1) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Length": content.length, "Last-Modified": lastModified });
    return response.write(content.subarray(0, 30_000), () => response.destroy());
  }, image);
  await expect(refused).rejects.toMatchObject({ status: 404 });
  expect(await downloadFrom(sendImage, image)).toEqual([30_000]);
  expect(readFileSync(join(folder, "a")).equals(content)).toBe(true);
});

test("content that changes during its download is not joined", async () => {
  const changed = downloadFrom((response, offset, nth) => {
    const date = nth === 1 ? lastModified : "Wed, 21 Oct 2026 07:29:00 GMT";
    response.writeHead(200, { "Content-Length": content.length, "Last-Modified": date });
    if (nth > 1) return response.end(content);
    return response.write(content.subarray(offset, 30_000), () => response.destroy());
  }, image);
  await expect(changed).rejects.toThrow("a has changed since the download began. Run the command again");
  expect(existsSync(join(folder, "a"))).toBe(false);
});

test("a complete download without a hash is known by its size and date", async () => {
  expect(await downloadFrom(sendImage, image)).toEqual([0]);
  expect(await downloadFrom(sendImage, image)).toEqual([]);
  utimesSync(join(folder, "a"), new Date(), new Date());
  await expect(downloadFrom(sendImage, image)).rejects.toThrow(
    "exists and may differ from a on the server. Use --force",
  );
  writeFileSync(join(folder, "a"), "other");
  await expect(downloadFrom(sendImage, image)).rejects.toThrow("exists and differs from a on the server. Use --force");
});
