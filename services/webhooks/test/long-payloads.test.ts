import { randomUUID } from "node:crypto";
import { openMongo } from "@ci/kit/mongo/mongo";
import { suite } from "@ci/testkit/suite";
import { type NewRecord, type Stream, type StreamDoc, streamStore } from "../src/store/stream.js";
import { longPayloads } from "../src/streams/long-payloads.js";

const names = suite();
const mebibyte = 1024 ** 2;
const pieceBytes = 8 * 1024;
const blockBytes = 64 * 1024;
const count = 24;
const namespaceId = 1;
let mongo: Awaited<ReturnType<typeof openMongo>>;
let stream: Stream;

const aRecord = (payload: string): NewRecord => ({
  ...{ eventId: randomUUID(), namespaceId, userId: 7, rootId: 1, kind: "build.started", payload, at: new Date() },
});

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  stream = streamStore(mongo.db.collection<StreamDoc>("stream"));
  await stream.append(Array.from({ length: count }, (_, nth) => aRecord(`${nth % 10}`.repeat(mebibyte))));
  await stream.append(Array.from({ length: 40 }, () => aRecord("s".repeat(pieceBytes))));
});
afterAll(() => mongo[Symbol.asyncDispose]());

function countedReads() {
  const counted = { reads: 0, running: 0, most: 0 };
  const payloadOf = async (id: number) => {
    counted.reads++;
    counted.most = Math.max(counted.most, ++counted.running);
    const payload = await stream.payloadOf(id);
    counted.running--;
    return payload;
  };
  return { counted, payloads: longPayloads({ payloadOf }) };
}

test("a reader's batch has no long payloads and at most 64 KiB and one more of short ones, also a user's batch", async () => {
  const end = await stream.end();
  const rootIds = Array.from({ length: 400 }, (_, index) => index + 1);
  const batches = [
    await stream.after(namespaceId, 0),
    await stream.after(namespaceId, count),
    (await stream.reachable({ userId: 7, rootIds }, 0, end)).records,
    (await stream.reachable({ userId: 8, rootIds }, count, end)).records,
  ];
  for (const records of batches) {
    const held = records.reduce((sum, { payload = "" }) => sum + payload.length, 0);
    expect(held).toBeLessThanOrEqual(blockBytes + pieceBytes);
    expect(records.length).toBeGreaterThan(8);
  }
  expect(batches[0]![0]).toMatchObject({ payloadBytes: mebibyte });
  expect(batches[0]![0]!.payload).toBeUndefined();
});

test("a reader holds a block of its own, whatever the process keeps", async () => {
  const [record] = await stream.after(namespaceId, 0);
  const { payloads, counted } = countedReads();
  const readers = Array.from({ length: 30 }, (_, userId) => payloads.block(userId, record!, 0));
  for (const block of await Promise.all(readers)) {
    expect(block).toMatchObject({ isLast: false });
    expect(block!.bytes.buffer.byteLength).toBe(blockBytes);
  }
  expect(counted.reads).toBe(1);
});

test("a process reads 8 MiB at a time, however many readers there are, and keeps the latest 16 MiB", async () => {
  const records = (await stream.after(namespaceId, 0)).filter(({ payload }) => payload === undefined);
  expect(records).toHaveLength(count);
  const { payloads, counted } = countedReads();
  const blocks = await Promise.all(records.map((record) => payloads.block(7, record, mebibyte - 1)));
  expect(blocks.map((block) => block!.bytes.toString())).toEqual(records.map((_, nth) => `${nth % 10}`));
  expect(counted).toMatchObject({ reads: count, most: 8 });
  await payloads.block(7, records.at(-1)!, 0);
  expect(counted.reads).toBe(count);
  await payloads.block(7, records[0]!, 0);
  expect(counted.reads).toBe(count + 1);
});

test("a payload whose record is gone is missing", async () => {
  const { payloads } = countedReads();
  const [record] = await stream.after(namespaceId, 0);
  expect(await payloads.block(7, { ...record!, _id: 1_000_000 }, 0)).toBeUndefined();
});
