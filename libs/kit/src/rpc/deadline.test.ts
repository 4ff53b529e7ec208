import { getEventListeners, once } from "node:events";
import { deadlineAfter } from "./deadline.js";

const hourMs = 3_600_000;

test("a deadline aborts once its time is over", async () => {
  using deadline = deadlineAfter(1);
  const keepsProcess = setInterval(() => undefined, hourMs);
  if (!deadline.signal.aborted) await once(deadline.signal, "abort");
  clearInterval(keepsProcess);
  expect([deadline.isPast(), deadline.signal.reason.name]).toEqual([true, "TimeoutError"]);
});

test("a deadline aborts with its parent and its reason", () => {
  const parent = new AbortController();
  using running = deadlineAfter(hourMs, parent.signal);
  parent.abort("enough");
  using late = deadlineAfter(hourMs, parent.signal);
  for (const { signal, isPast } of [running, late])
    expect([signal.aborted, signal.reason, isPast()]).toEqual([true, "enough", false]);
});

test("a call that has ended leaves nothing at a signal that lives on", () => {
  const parent = new AbortController();
  for (let n = 0; n < 3; n++) deadlineAfter(hourMs, parent.signal)[Symbol.dispose]();
  expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
});
