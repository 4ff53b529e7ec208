import { risingId } from "./rising-id.js";

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("an id is a UUID that begins with its time", () => {
  const id = risingId(0x2234_5678_9abc);
  expect(id).toMatch(form);
  expect(id).toMatch(/^22345678-9abc-7000-/);
});

test("ids rise, also within a millisecond, and if the clock is set back", () => {
  const nowMs = 0x1234_5678_9abc;
  const ids = [nowMs, nowMs, nowMs, nowMs - 1, nowMs + 1].map(risingId);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids.map((id) => id.slice(0, 18))).size).toBe(ids.length);
});
