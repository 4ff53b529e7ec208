import { receivedReader } from "../../src/actions/hooks/payload-turns.js";
import { readPayload, readResponse } from "../../src/actions/hooks/read-payload.js";
import { readReceived } from "../../src/actions/hooks/read-received.js";
import { github } from "../_hook-payloads.js";

const options = { taskMs: 60_000, idleMs: 1_000, heapMb: 128 };
const sha = "a".repeat(40);
const headers = { "x-github-event": "push", "content-type": "application/json" };
/** Names that no other object has are the slowest to parse. */
const objects = (count: number) => Array.from({ length: count }, (_, n) => ({ [`name${n}`]: n }));
const aPush = (count: number) => Buffer.from(JSON.stringify({ ...github.push({ sha }), more: objects(count) }));
const received = (body: Buffer) => ({ provider: "github" as const, headers, body });

test("a long payload is read in a thread, as a short one is without", async () => {
  const [long, short] = [received(aPush(50_000)), received(aPush(10))];
  const read = receivedReader(options);
  expect(await read(1, short)).toMatchObject({ event: "push", change: { sha } });
  expect(await read(1, long)).toEqual(await readReceived(short));
  const form = Buffer.from(new URLSearchParams({ payload: long.body.toString() }).toString());
  const sent = { ...received(form), headers: { ...headers, "content-type": "application/x-www-form-urlencoded" } };
  expect(await read(1, sent)).toEqual(await readReceived(short));
});

test.each([
  [{ ...options, taskMs: 0 }, "the payload takes more than 0 s to read"],
  [{ ...options, heapMb: 8 }, "the payload takes more than 8 MiB to read"],
])("a long payload that takes too much makes no build, with %j", async (limits, reason) => {
  const read = receivedReader(limits);
  expect(await read(1, received(aPush(50_000)))).toEqual({ event: "push", reasons: [reason] });
  expect(await read(1, received(aPush(10)))).toHaveProperty("change");
});

test("a provider's response may have fewer values than a payload", async () => {
  const response = Buffer.from(JSON.stringify(objects(10_001)));
  expect(await readResponse(response)).toBeUndefined();
  expect(await readResponse(Buffer.from('{"id": 7}'))).toEqual({ id: 7 });
  expect((await readPayload("application/json", response)).payload).toHaveLength(10_001);
});
