import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { MongoClient } from "mongodb";
import { claimTurns } from "../../src/actions/queue/claim-turns.js";
import { ensureAllIndexes } from "../../src/store/indexes.js";
import { type LineStore, lineStore, type WaitingUser } from "../../src/store/queue/line.js";
import { queueStore } from "../../src/store/queue/queue.js";
import { database } from "./_crowd.js";

const names = suite();
const data = database(names);
const users = () => data.db.collection<WaitingUser>("line");
const removed: unknown[] = [];
let joins = 0;
let nowMs = 0;
let client: MongoClient;
let line: LineStore;
/** The line of another replica. */
let other: LineStore;

beforeAll(async () => {
  await ensureAllIndexes(data.db);
  client = await new MongoClient(names.mongoUrl, { monitorCommands: true, ignoreUndefined: true }).connect();
  client.on("commandStarted", ({ command }) => {
    if (command.update === "line") joins++;
    if (command.delete) removed.push(...command.deletes.map(({ q }: { q: WaitingUser }) => q._id));
  });
  line = lineStore(client.db(data.db.databaseName), () => ++nowMs);
  other = lineStore(data.db);
});
afterAll(() => client.close());
beforeEach(async () => {
  await users().deleteMany({ driver: "os" });
  removed.splice(0);
});

async function joinAndLeave(...userIds: number[]): Promise<void> {
  await line.join("os", userIds);
  for (const userId of userIds) {
    const user = await users().findOne({ _id: `os/${userId}` });
    line.leave({ ...user!, askedMs: ++nowMs });
  }
}

it.each([
  ["who joins again", "join"],
  ["whose build is queued without joining again", "queued"],
] as const)("a user %s while a claim finds no build stays in the line", async (_, how) => {
  await line.join("os", [7]);
  const turn = (await line.next(["os"]))!;
  await line[how]("os", [7]);
  line.leave(turn);
  const nextTurn = (await line.next(["os"]))!;
  expect(nextTurn.userId).toBe(7);
  line.leave(nextTurn);
  expect(await line.next(["os"])).toBeNull();
});

it("a user whom this process has added a moment ago is not added again for the next build", async () => {
  joins = 0;
  await line.queued("os", [7]);
  await line.queued("os", [6, 7]);
  await line.queued("os", [7]);
  expect(joins).toBe(2);
  nowMs += 1_000;
  await line.queued("os", [7]);
  expect(joins).toBe(3);
  line.leave((await line.next(["os"]))!);
  line.leave((await line.next(["os"]))!);
  await line.queued("os", [7]);
  expect(joins).toBe(4);
  expect((await line.next(["os"]))!.userId).toBe(7);
});

it.each(["another replica", "several replicas"])(
  "a user stays in the line for a moment after joining at %s",
  async (where) => {
    await other.join("os", [7]);
    if (where === "several replicas") {
      await users().updateOne({ _id: "os/7" }, [{ $set: { joinedAt: { $add: ["$$NOW", 60_000] } } }]);
      await line.join("os", [7]);
    }
    const turn = (await line.next(["os"]))!;
    const leaveAfter = (ms: number) => line.leave({ ...turn, turnAt: new Date(turn.joinedAt!.getTime() + ms) });
    leaveAfter(1_999);
    expect((await line.next(["os"]))!.userId).toBe(7);
    leaveAfter(2_000);
    expect(await line.next(["os"])).toBeNull();
  },
);

it("a user who joins again keeps their place", async () => {
  // Both may join within one millisecond. Then the lower id is first.
  await line.join("os", [5]);
  await line.join("os", [7]);
  await line.join("os", [5]);
  expect((await line.next(["os"]))!.userId).toBe(5);
});

it("users take turns, even within one millisecond", async () => {
  await line.join("os", [5, 6, 7]);
  const users: number[] = [];
  for (let turn = 0; turn < 99; turn++) users.push((await line.next(["os", "docker"]))!.userId);
  for (let turn = 3; turn < 99; turn++) expect(users[turn]).toBe(users[turn - 3]);
  expect(new Set(users).size).toBe(3);
});

it("a claim gives no user a second turn", async () => {
  await line.join("os", [5, 6]);
  expect((await line.next(["os"], ["os/5"]))!.userId).toBe(6);
  expect((await line.next(["os"], ["os/5"]))!.userId).toBe(6);
  expect(await line.next(["os"], ["os/5", "os/6"])).toBeNull();
});

it("a claim that has tried everybody does not end the search of another one", async () => {
  await line.join("os", [5]);
  const turns = claimTurns(line, queueStore(data.db));
  const found = await Promise.all([["os/5"], ["os/5"], []].map((tried) => turns.next(["os"], new Set(tried))));
  expect(found.map((turn) => turn?.userId)).toEqual([undefined, undefined, 5]);
});

it("all users who join concurrently are in the line", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, n) => line.join("os", [n % 4])));
  expect(await line.missing("os", [0, 1, 2, 3, 4])).toEqual([4]);
});

it("a user who leaves is gone for the claims of this process at once, and is removed a moment later", async () => {
  await line.join("os", [5, 6, 7]);
  line.leave((await line.next(["os"]))!);
  expect(await line.hasOthers(["os"], { _id: "os/6" })).toBe(true);
  line.leave((await line.next(["os"]))!);
  expect(await line.hasOthers(["os"], { _id: "os/7" })).toBe(false);
  expect((await line.standing("os", 10)).map(({ userId }) => userId)).toEqual([7]);
  expect((await line.next(["os"]))!.userId).toBe(7);
  await eventually(async () => expect(await users().distinct("_id", { driver: "os" })).toEqual(["os/7"]));
});

it("a user who joins again soon is not removed, but joins at the end", async () => {
  await joinAndLeave(7);
  await line.join("os", [5, 7]);
  expect((await line.next(["os"]))!.userId).toBe(5);
  expect((await line.next(["os"]))!.userId).toBe(7);
  await joinAndLeave(6);
  await eventually(() => expect(removed).toContain("os/6"));
  expect(removed).toEqual(["os/6"]);
});

it("a user who joins at another replica gets a turn at the one that is about to remove them", async () => {
  await joinAndLeave(6, 7);
  await other.join("os", [6]);
  // A third replica has removed the user already.
  await users().deleteOne({ _id: "os/7" });
  await other.join("os", [7]);
  expect(await line.hasOthers(["os"], { _id: "os/6" })).toBe(true);
  expect((await line.next(["os"]))!.userId).toBe(6);
  expect((await line.next(["os"]))!.userId).toBe(7);
  await joinAndLeave(5);
  await eventually(() => expect(removed).toContain("os/5"));
  await eventually(async () => expect(await line.missing("os", [5, 6, 7])).toEqual([5]));
});
