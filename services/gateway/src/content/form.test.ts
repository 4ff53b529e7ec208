import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { mock } from "node:test";
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
const patient = { timeoutMs: 600_000, windowMs: 600_000, windowBytes: 0 };
const read = (body: PassThrough, heldBytes: number, pace = patient) =>
  readForm(body as unknown as IncomingMessage, { limitBytes, heldBytes, pace });

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

const aFile = part('name="file"; filename="f"');
const field = `\r\n${part('name="name"')}value`;
const end = "\r\n--b--\r\n";
const tooSlow = { status: 400, message: "Request body arrives too slowly; send it again over a faster connection" };
const tooLate = { status: 400, message: "Form fields must come before a file of this size" };

const unreadable = `\r\n--b\r\nContent-Type: text/plain; charset=x-none\r\n${part('name="name"').slice(5)}value`;
const malformed = { status: 400, message: expect.stringMatching(/^Malformed form/) };

describe("a form whose first bytes come at once", () => {
  test.each([
    ["an unknown charset before its file", 0, `${unreadable}\r\n${aFile}${"x".repeat(30_000)}${end}`.slice(2)],
    ["an unknown charset after its file", 1_000_000, `${aFile}${"x".repeat(30_000)}${unreadable}${end}`],
    ["more than 100 fields", 0, `${part('name="f"')}${"x".repeat(500)}\r\n`.repeat(150) + end.slice(2)],
  ])("is refused for %s", async (_, heldBytes, text) => {
    const body = aBody();
    body.end(text);
    await expect(read(body, heldBytes)).rejects.toMatchObject({ status: 400 });
  });

  test("is refused although the rest of it never arrives", async () => {
    const body = aBody();
    body.write(`${unreadable}\r\n${aFile}`.slice(2) + "x".repeat(300_000));
    await expect(read(body, 1_000_000)).rejects.toMatchObject(malformed);
  });
});

test("a form is refused if its client disconnects before the first byte, and empty if it ends without one", async () => {
  const [broken, empty] = [aBody(), aBody()];
  const reading = read(broken, 0);
  broken.destroy();
  await expect(reading).rejects.toMatchObject({ status: 400 });
  empty.end();
  expect(await read(empty, 0)).toEqual({ fields: {} });
});

describe("of an upload that arrives too slowly", () => {
  const pace = { timeoutMs: 600_000, windowMs: 20, windowBytes: 1_000 };

  test("the file is handed over as it arrives", async () => {
    const body = aBody();
    body.write(`${aFile}abc`);
    const { file } = await read(body, 1_000_000, pace);
    body.end(`def${end}`);
    expect(await bytesOf(file)).toBe(6);
  });

  test("fields that follow the file are refused", async () => {
    const body = aBody();
    body.write(`${aFile}abc`);
    const { file } = await read(body, 1_000_000, pace);
    body.end(`${field}${end}`);
    await expect(bytesOf(file)).rejects.toMatchObject(tooLate);
  });

  test("fields are refused, before a file and after it", async () => {
    const [before, after] = [aBody(), aBody()];
    before.write(part('name="name"'));
    await expect(read(before, 1_000_000, pace)).rejects.toMatchObject(tooSlow);
    after.write(`${aFile}abc`);
    const { file } = await read(after, 1_000_000, pace);
    after.write(field + "x".repeat(20_000));
    await expect(bytesOf(file)).rejects.toMatchObject(tooSlow);
  });
});

describe("of an upload that takes longer than the fields of a form may", () => {
  const pace = { ...patient, timeoutMs: 60_000 };
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "setInterval"] }));
  afterEach(() => mock.timers.reset());

  /** Sends the beginning of a file, which is read at once, and lets the whole time pass. */
  async function sendSlowly(body: PassThrough): Promise<void> {
    body.write(aFile + "x".repeat(20_000));
    await nextTurn();
    mock.timers.tick(pace.timeoutMs);
  }

  test("the file and the fields that follow it are accepted", async () => {
    const body = aBody();
    const reading = read(body, 1_000_000, pace);
    await sendSlowly(body);
    body.end(`${field}${end}`);
    const { fields, file } = await reading;
    expect([fields.name, await bytesOf(file)]).toEqual(["value", 20_000]);
  });

  test("fields that follow the file have no more time than others", async () => {
    const body = aBody();
    const reading = read(body, 1_000_000, pace);
    await sendSlowly(body);
    body.write(field + "x".repeat(20_000));
    await nextTurn();
    mock.timers.tick(pace.timeoutMs);
    await expect(reading).rejects.toMatchObject(tooSlow);
  });
});

test("while forms hold 32 MiB, only fields before or after a small file are accepted", async () => {
  const large = aBody();
  const reading = read(large, 100 * 1024 ** 2);
  large.write(aFile);
  const mib = Buffer.alloc(1024 ** 2);
  for (let sent = 0; sent < 31; sent++) if (!large.write(mib)) await once(large, "drain");
  /** Sends a file, with a field after it once all else has been read. */
  const upload = async (sizeBytes: number) => {
    const body = aBody();
    const result = read(body, 8 * 1024 ** 2);
    body.write(aFile);
    body.write(Buffer.alloc(sizeBytes));
    await nextTurn();
    body.end(`${field}${end}`);
    const { fields, file } = await result;
    return [fields.name, await bytesOf(file)];
  };
  await expect(upload(2 * 1024 ** 2)).rejects.toMatchObject(tooLate);
  expect(await upload(200 * 1024)).toEqual(["value", 200 * 1024]);
  large.end(`${field}${end}`);
  expect(await bytesOf((await reading).file)).toBe(31 * 1024 ** 2);
  expect(await upload(2 * 1024 ** 2)).toEqual(["value", 2 * 1024 ** 2]);
});
