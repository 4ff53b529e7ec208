import { stayers } from "./stayers.js";

const setUp = () => {
  let nowMs = 100;
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { all: stayers(() => nowMs), pass };
};

test("a user stays for a second from the beginning of the write that has put them in the line", () => {
  const { all, pass } = setUp();
  const ended = all.joining("os/7");
  expect(all.stays("os/7")).toBe(false);
  pass(300);
  ended();
  pass(700);
  expect(all.stays("os/7")).toBe(true);
  pass(1);
  expect([all.stays("os/7"), all.stays("os/8")]).toEqual([false, false]);
});

test("a user who is removed before the write ends does not stay", () => {
  const { all } = setUp();
  const ended = all.joining("os/7");
  all.forget("os/7");
  ended();
  expect(all.stays("os/7")).toBe(false);
});

test("a claim may have missed what was queued after it began, and is distrusted after half a minute", () => {
  const { all, pass } = setUp();
  all.joining("os/7")();
  expect(all.mayHaveMissed("os/7", 100)).toBe(false);
  pass(10);
  all.stays("os/7");
  expect([100, 110, 111].map((sinceMs) => all.mayHaveMissed("os/7", sinceMs))).toEqual([true, true, false]);
  all.joining("os/7")();
  expect(all.mayHaveMissed("os/7", 110)).toBe(true);
  pass(30_000);
  expect([109, 110].map((sinceMs) => all.mayHaveMissed("os/8", sinceMs))).toEqual([true, false]);
});
