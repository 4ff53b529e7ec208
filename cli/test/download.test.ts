import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@service-ci/client";
import { download } from "../src/download.js";

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
  answer: (response: ServerResponse, offset: number, nth: number) => void,
): Promise<number[]> {
  const offsets: number[] = [];
  const server = createServer((request, response) => {
    const offset = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    answer(response, offset, offsets.push(offset));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const options = { client, signal: new AbortController().signal, force: false, onProgress: () => {} };
  try {
    await download(wanted, join(folder, "a"), options);
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
  expect(existsSync(join(folder, "a.part"))).toBe(false);
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
  expect(readFileSync(join(folder, "a.part"))).toHaveLength(30_000);
  expect(existsSync(join(folder, "a"))).toBe(false);
});
