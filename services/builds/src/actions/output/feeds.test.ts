import { EventEmitter } from "node:events";
import { createLog } from "@ci/kit/process/log";
import type { FollowedBuild } from "../../store/followed-builds.js";
import { type Feed, feedsOf } from "./feeds.js";
import { followedNews, type Known } from "./followed-news.js";

/** Feeds whose builds change when the test says so. */
function changing() {
  const changes = new EventEmitter();
  let rev = 0;
  let reads = 0;
  const checks: number[] = [];
  const build = () => ({ _id: 1, rev, outputBytes: rev }) as FollowedBuild;
  const read = async (_id: number, { written, held }: Known) => {
    if (held) checks.push(held.rev);
    if (written || held) return { build: (written ?? held)! };
    reads++;
    return { build: build() };
  };
  const wakeups = {
    listen(_: number, onChange: (written: FollowedBuild | undefined) => void) {
      changes.on("change", onChange);
      return { [Symbol.dispose]: () => void changes.off("change", onChange) };
    },
  };
  const change = () => {
    rev++;
    changes.emit("change");
  };
  /** Changes the build in this process. */
  const write = () => {
    rev++;
    changes.emit("change", build());
  };
  return { feeds: feedsOf(read, wakeups, createLog("test", "silent")), change, write, reads: () => reads, checks };
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
    return { build: { _id: 1, rev: 1 } as FollowedBuild };
  };
  const wakeups = { listen: () => ({ [Symbol.dispose]: () => undefined }) };
  const feeds = feedsOf(read, wakeups, createLog("test", "silent"));
  const failed = await Promise.all([feeds.follow(1), feeds.follow(1)]);
  for (const feed of failed) expect(() => feed.latest()).toThrow("away");
  for (const feed of failed) feed[Symbol.dispose]();
  away = false;
  const next = await feeds.follow(1);
  expect(next.latest().build).toEqual({ _id: 1, rev: 1 });
  next[Symbol.dispose]();
});

const untilRead = async (feed: Feed) => {
  const { reading } = feed.latest();
  await feed.after(reading, new AbortController().signal);
  return feed.latest().build.rev;
};

test("followers see a build as this process wrote it, without a reading", async () => {
  const { feeds, write, reads } = changing();
  using feed = await feeds.follow(1);
  write();
  expect(await untilRead(feed)).toBe(1);
  expect(reads()).toBe(1);
});

test("a change by another replica is read, whatever this process wrote before", async () => {
  const { feeds, write, change, reads } = changing();
  using feed = await feeds.follow(1);
  write();
  change();
  expect(await untilRead(feed)).toBe(2);
  expect(reads()).toBe(2);
});

test("without news, followers keep the build that was last read", async () => {
  const { feeds, change, reads, checks } = changing();
  using feed = await feeds.follow(1);
  change();
  expect(await untilRead(feed)).toBe(1);
  expect(await untilRead(feed)).toBe(1);
  expect(reads()).toBe(2);
  expect(checks).toEqual([1]);
});

test("news of an older revision than the one that was read is dropped", async () => {
  const build = (rev: number) => ({ _id: 1, rev }) as FollowedBuild;
  const news = followedNews();
  news.add(build(1));
  const found = news.after(build(2), new AbortController().signal);
  news.add(build(3));
  expect((await found).written?.rev).toBe(3);
});
