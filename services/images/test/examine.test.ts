import { type Blobs, blobs } from "@ci/kit/bytes/blobs";
import { invalid } from "@ci/kit/rpc/fault";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import { contentProblems } from "../src/actions/examine.js";
import { imagesSuite, MiB, refusal } from "./_suite.js";

const service = imagesSuite();
const config = { virtualBytes: 64 * 1024 ** 3, path: process.env.PATH! } as never;
/** The check of header and tables. The next reads copy the tables. */
const readsOfCheck = 4;

async function* inOnePiece(file: Buffer) {
  yield file;
}

/** Stores a disk. Returns a function that examines it and calls `onRead` with the number of each read before it begins. */
async function stored() {
  const contents = blobs(service.db, "contents");
  const content = await contents.put(inOnePiece(aDisk()), { maxBytes: MiB, tooLarge: () => invalid({}) });
  return (ownerId: number, signal: AbortSignal, onRead: (number: number) => unknown) => {
    let reads = 0;
    const get: Blobs["get"] = async function* (...args) {
      await onRead(++reads);
      yield* contents.get(...args);
    };
    return contentProblems({ config, contents: { ...contents, get }, usesQemuImg: true }, content, ownerId, signal);
  };
}

test("an examination stops copying tables once its signal fires", async () => {
  const examine = await stored();
  const [stop, reason] = [new AbortController(), new Error("the client has gone")];
  const reads: number[] = [];
  const examined = examine(1, stop.signal, (number) => {
    reads.push(number);
    if (number > readsOfCheck) stop.abort(reason);
  });
  await expect(examined).rejects.toBe(reason);
  expect(reads.at(-1)).toBe(readsOfCheck + 1);
});

test("the images of one user are copied two at a time, and those of others beside them", async () => {
  const examine = await stored();
  const stop = new AbortController();
  let checked = 0;
  const copying: number[] = [];
  const begin = (ownerId: number) =>
    examine(ownerId, stop.signal, async (number) => {
      if (number === readsOfCheck) checked++;
      if (number <= readsOfCheck) return;
      copying.push(ownerId);
      await new Promise((_, reject) => stop.signal.addEventListener("abort", reject));
    }).catch(() => {});
  const examined = Array.from({ length: 6 }, () => begin(1));
  await eventually(() => expect(checked).toBe(6));
  await eventually(() => expect(copying).toEqual([1, 1]));
  examined.push(begin(2));
  await eventually(() => expect(copying).toContain(2));
  expect(copying).toEqual([1, 1, 2]);
  stop.abort(new Error("the test has ended"));
  await Promise.all(examined);
});

test("an image whose tables take more than 32 MiB together is rejected", async () => {
  await using roomy = await service.bootAnother({ imageBytes: 64 * MiB });
  const file = Buffer.concat([aDisk(), Buffer.alloc(32 * MiB)]);
  file.writeUInt32BE((32 * MiB) / 8, 36);
  const complaint = "File cannot be read as QCOW2: its tables are too large together";
  const ada = await service.aUser();
  expect(await refusal(roomy.upload(ada, "disk", file))).toEqual({ file: [complaint] });
});
