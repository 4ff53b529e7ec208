import { suite } from "@ci/testkit/suite";
import { makeIndexes } from "../../src/store/indexes.js";
import { type LineStore, lineStore } from "../../src/store/line.js";
import { database } from "./_crowd.js";

const data = database(suite());
let line: LineStore;
const at = (ms: number) => new Date(1_800_000_000_000 + ms);

beforeAll(async () => {
  await makeIndexes(data.db);
  line = lineStore(data.db);
});
beforeEach(() => data.db.collection("line").deleteMany({ driver: "os" }));

it("a place is kept when a build was queued while none was found", async () => {
  await line.join("os", [7], at(0));
  const looking = (await line.next(["os"], at(1)))!;
  await line.join("os", [7], at(2));
  await line.leave(looking);
  const again = (await line.next(["os"], at(3)))!;
  expect(again.userId).toBe(7);
  await line.leave(again);
  expect(await line.next(["os"], at(4))).toBeNull();
});

it("joining again does not lose one's place", async () => {
  await line.join("os", [7], at(0));
  await line.join("os", [5], at(1));
  await line.join("os", [7], at(2));
  expect((await line.next(["os"], at(3)))!.userId).toBe(7);
});

it("turns go round also within one millisecond", async () => {
  await line.join("os", [5, 6, 7], at(0));
  const users: number[] = [];
  for (let turn = 0; turn < 6; turn++) users.push((await line.next(["os", "docker"], at(0)))!.userId);
  expect(users).toEqual([5, 6, 7, 5, 6, 7]);
});

it("many that join at once all stand in the line", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => line.join("os", [n % 4], at(n))));
  expect(await line.missing("os", [0, 1, 2, 3, 4])).toEqual([4]);
});
