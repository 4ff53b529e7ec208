import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readForm } from "./form.js";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

const limitBytes = 2 * 1024 * 1024;
const part = (disposition: string) => `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;

const aBody = () =>
  Object.assign(new PassThrough(), { headers: { "content-type": "multipart/form-data; boundary=b" } });
const read = (body: PassThrough, heldBytes: number) =>
  readForm(body as unknown as IncomingMessage, { limitBytes, heldBytes });

/** Sends content in pieces of one byte that arrive one after another. */
async function writeBytes(body: PassThrough, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    body.write("a");
    await nextTurn();
  }
}

async function bytesOf(file: AsyncIterable<Buffer> | undefined): Promise<number> {
  let sizeBytes = 0;
  for await (const chunk of file ?? []) sizeBytes += chunk.length;
  return sizeBytes;
}

const count = 100_000;

test.each([
  ["a field of a form", 'name="f"', 0],
  ["a field of an upload", 'name="f"', 1_000_000],
  ["the file of an upload", 'name="file"; filename="f"', 1_000_000],
])("%s that arrives in single bytes takes little more memory than its size", async (_, disposition, heldBytes) => {
  const body = aBody();
  const reading = read(body, heldBytes);
  body.write(part(disposition));
  gc();
  const before = process.memoryUsage().heapUsed;
  await writeBytes(body, count);
  gc();
  const retainedBytes = process.memoryUsage().heapUsed - before;
  body.end("\r\n--b--\r\n");
  const { fields, file } = await reading;
  expect(`${fields.f ?? ""}`.length + (await bytesOf(file))).toBe(count);
  expect(retainedBytes).toBeLessThan(10 * count);
});
