import { createLog } from "@ci/kit/process/log";
import { aBuild } from "../../../test/_build.js";
import { followedOf } from "../../store/followed-builds.js";
import { feedsOf } from "./feeds.js";
import { followedTails } from "./followed-tails.js";

const text = "x".repeat(64 * 1024);
const pieces = [0, 1, 2].map((nth) => ({ start: nth * text.length, bytes: text.length, text }));
const build = (id: number, rev = 1) => followedOf(aBuild({ _id: id, rev, tail: pieces }));

/** Returns tails, with the ids of the builds that were read again. */
function counting() {
  const read: number[] = [];
  const tails = followedTails(async (id) => {
    read.push(id);
    return build(id, 2);
  });
  return { tails, read };
}

test("the tails of followed builds take at most 32 MiB, and a dropped one is read when it is needed", async () => {
  const { tails, read } = counting();
  const held = Array.from({ length: 500 }, (_, n) => tails.keep(build(n + 1)));
  expect(held.filter(({ tail }) => tail)).toEqual([]);
  for (const one of held.toReversed()) expect((await tails.outputOf(one)).tail).toEqual(pieces);
  const dropped = new Set(read).size;
  // A character may take two bytes, and its encoding one more.
  expect((500 - dropped) * 3 * 3 * text.length).toBeLessThanOrEqual(32 * 1024 ** 2);
  expect(dropped).toBeLessThan(500);
});

test("an older reading of a build replaces no newer one, and is not used for one", async () => {
  const { tails, read } = counting();
  const newest = tails.keep(build(7, 2));
  tails.keep(build(7, 1));
  expect(await tails.outputOf(newest)).toMatchObject({ rev: 2 });
  expect(read).toEqual([]);
  const older = tails.keep(build(8, 1));
  expect(await tails.outputOf(older)).toMatchObject({ rev: 1 });
  expect(await tails.outputOf({ ...older, rev: 2 })).toMatchObject({ rev: 2 });
  expect(read).toEqual([8]);
});

test("followers that need a dropped tail at the same moment share a read", async () => {
  const { tails, read } = counting();
  const { tail: _, ...held } = build(9);
  await Promise.all(Array.from({ length: 50 }, () => tails.outputOf(held)));
  expect(read.length).toBeLessThanOrEqual(2);
});

test("a feed holds a build without its tail, and returns the tail on demand", async () => {
  const listen = () => ({ [Symbol.dispose]: () => undefined });
  const feeds = feedsOf(async (id) => ({ build: build(id) }), { listen }, createLog("test", "silent"));
  using feed = await feeds.follow(3);
  expect(feed.latest().build.tail).toBeUndefined();
  expect((await feed.output()).tail).toEqual(pieces);
});
