import { recentJoins } from "./recent-joins.js";

const setUp = () => {
  let nowMs = 100;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { all: recentJoins(() => nowMs), pass };
};

test("builds need no write for a second from the beginning of the write that has put their user in the line", () => {
  const { all, pass } = setUp();
  const ended = all.beginJoin("os/7");
  expect(all.noteQueued("os/7")).toBe(false);
  pass(300);
  ended();
  pass(700);
  expect(all.noteQueued("os/7")).toBe(true);
  pass(1);
  expect([all.noteQueued("os/7"), all.noteQueued("os/8")]).toEqual([false, false]);
});

test("a build needs a write if its user was removed before the write of the join ended", () => {
  const { all } = setUp();
  const ended = all.beginJoin("os/7");
  all.forget("os/7");
  ended();
  expect(all.noteQueued("os/7")).toBe(false);
});

test("a claim may have missed what was queued after it began, and is distrusted after half a minute", () => {
  const { all, pass } = setUp();
  all.beginJoin("os/7")();
  expect(all.mayHaveMissed("os/7", 100)).toBe(false);
  pass(10);
  all.noteQueued("os/7");
  expect([100, 110, 111].map((sinceMs) => all.mayHaveMissed("os/7", sinceMs))).toEqual([true, true, false]);
  all.beginJoin("os/7")();
  expect(all.mayHaveMissed("os/7", 110)).toBe(true);
  pass(30_000);
  expect([109, 110].map((sinceMs) => all.mayHaveMissed("os/8", sinceMs))).toEqual([true, false]);
});
