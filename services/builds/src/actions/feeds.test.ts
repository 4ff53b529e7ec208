import { EventEmitter, once } from "node:events";
import { createLog } from "@ci/kit/process/log";
import type { FollowedBuild } from "../store/build-queries.js";
import { feedsOf } from "./feeds.js";

/** Feeds whose builds change when the test says so. */
function changing() {
  const changes = new EventEmitter();
  let bytes = 0;
  let reads = 0;
  const read = async () => {
    reads++;
    return { build: { _id: 1, outputBytes: bytes } as FollowedBuild };
  };
  const wakeups = {
    wake: () => void changes.emit("change"),
    next: async (_: number, __: number, signal: AbortSignal) => {
      await once(changes, "change", { signal }).catch(() => undefined);
    },
  };
  const change = () => {
    bytes++;
    wakeups.wake();
  };
  return { feeds: feedsOf(read, wakeups, createLog("test", "silent")), change, reads: () => reads };
}

test("followers are woken in slices, so that other calls get a turn between them", async () => {
  const { feeds, change, reads } = changing();
  const followers = await Promise.all(Array.from({ length: 2_000 }, () => feeds.follow(1)));
  expect(reads()).toBe(1);
  let turns = 0;
  let done = false;
  const turn = () => {
    turns++;
    if (!done) setImmediate(turn);
  };
  const woken = Promise.all(
    followers.map(async (feed) => {
      await feed.after(1, new AbortController().signal);
      expect(feed.latest().build.outputBytes).toBe(1);
    }),
  );
  setImmediate(turn);
  change();
  await woken;
  done = true;
  expect(turns).toBeGreaterThanOrEqual(2_000 / 50 - 1);
  expect(reads()).toBe(2);
  for (const feed of followers) feed[Symbol.dispose]();
});

test("a build is read only while it is followed, and again for a later follower", async () => {
  const { feeds, change, reads } = changing();
  const first = await feeds.follow(1);
  first[Symbol.dispose]();
  change();
  change();
  const second = await feeds.follow(1);
  expect(second.latest()).toMatchObject({ reading: 1, build: { outputBytes: 2 } });
  expect(reads()).toBe(2);
  second[Symbol.dispose]();
});

test("all followers hear that a build cannot be read, and the next one tries again", async () => {
  let away = true;
  const read = async () => {
    if (away) throw new Error("away");
    return { build: { _id: 1 } as FollowedBuild };
  };
  const wakeups = { wake: () => undefined, next: async () => undefined };
  const feeds = feedsOf(read, wakeups, createLog("test", "silent"));
  const failed = await Promise.all([feeds.follow(1), feeds.follow(1)]);
  for (const feed of failed) expect(() => feed.latest()).toThrow("away");
  for (const feed of failed) feed[Symbol.dispose]();
  away = false;
  const next = await feeds.follow(1);
  expect(next.latest().build).toEqual({ _id: 1 });
  next[Symbol.dispose]();
});
