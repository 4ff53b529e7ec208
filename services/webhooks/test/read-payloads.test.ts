import { openMongo } from "@ci/kit/mongo/mongo";
import { suite } from "@ci/testkit/suite";
import { sharedPayloads } from "../src/delivery/shared-payloads.js";
import { payloadStore } from "../src/store/payloads.js";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const refersTo = (payloadId: string) => ({ sharedRequest: { headers: {}, payloadId } });

/** Returns what a process has that begins with nothing in memory. */
const process = () => sharedPayloads(payloadStore(mongo.db.collection("payloads")));

test("deliveries that share a payload share one copy in memory, also when several are sent at once", async () => {
  const [text, other] = ["é".repeat(10_000), "other"];
  const [id, otherId] = (await process().store([text, other])) as [string, string];
  const { read } = process();
  const [first, second] = await Promise.all([read(refersTo(id)), read(refersTo(id))]);
  expect(first!.toString()).toBe(text);
  expect(second).toBe(first);
  expect((await read(refersTo(otherId)))!.toString()).toBe(other);
  expect(await read(refersTo(id))).toBe(first);
  expect(await read({ request: { headers: {}, payload: "own" } })).toBe("own");
});

test("a payload that is larger than what is kept in memory is read again", async () => {
  const text = "x".repeat(9 * 1024 ** 2);
  const stored = process();
  const [id] = await stored.store([text]);
  expect((await stored.read(refersTo(id!)))!.toString()).toBe(text);
  expect((await process().read(refersTo(id!)))!.toString()).toBe(text);
});

test("a payload that was missing is found once it is stored", async () => {
  const [id] = await process().store(["late"]);
  const payloads = mongo.db.collection<{ _id: string }>("payloads");
  const late = await payloads.findOneAndDelete({ _id: id! });
  const { read } = process();
  expect(await read(refersTo(id!))).toBeUndefined();
  await payloads.insertOne(late!);
  expect((await read(refersTo(id!)))!.toString()).toBe("late");
});
