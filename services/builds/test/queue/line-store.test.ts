import { suite } from "@ci/testkit/suite";
import { ensureAllIndexes } from "../../src/store/indexes.js";
import { type LineStore, lineStore } from "../../src/store/line.js";
import { database } from "./_crowd.js";

const data = database(suite());
let line: LineStore;

beforeAll(async () => {
  await ensureAllIndexes(data.db);
  line = lineStore(data.db);
});
beforeEach(() => data.db.collection("line").deleteMany({ driver: "os" }));

it("a user who joins again while a claim finds no build stays in the line", async () => {
  await line.join("os", [7]);
  const turn = (await line.next(["os"]))!;
  await line.join("os", [7]);
  await line.leave(turn);
  const nextTurn = (await line.next(["os"]))!;
  expect(nextTurn.userId).toBe(7);
  await line.leave(nextTurn);
  expect(await line.next(["os"])).toBeNull();
});

it("a user who joins again keeps their place", async () => {
  await line.join("os", [7]);
  await line.join("os", [5]);
  await line.join("os", [7]);
  expect((await line.next(["os"]))!.userId).toBe(7);
});

it("users take turns, even within one millisecond", async () => {
  await line.join("os", [5, 6, 7]);
  const users: number[] = [];
  for (let turn = 0; turn < 99; turn++) users.push((await line.next(["os", "docker"]))!.userId);
  for (let turn = 3; turn < 99; turn++) expect(users[turn]).toBe(users[turn - 3]);
  expect(new Set(users).size).toBe(3);
});

it("all users who join concurrently are in the line", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => line.join("os", [n % 4])));
  expect(await line.missing("os", [0, 1, 2, 3, 4])).toEqual([4]);
});
