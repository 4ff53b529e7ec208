import { turnsDuring } from "@ci/testkit/turns-during";
import { inSlices } from "./slices.js";

test("all bytes are used in order, and other work gets its turn after 8 KiB", async () => {
  const used: number[] = [];
  const { add, done } = inSlices((piece) => used.push(...piece));
  const bytes = Uint8Array.from({ length: 100_000 }, (_, nth) => nth % 251);
  const turns = await turnsDuring(Promise.all([add(bytes.subarray(0, 10)), add(bytes.subarray(10)), done()]));
  expect(used).toEqual([...bytes]);
  expect(turns).toBeGreaterThan(bytes.length / 8_192 - 2);
});

test("other work gets its turn sooner while a piece takes long", async () => {
  const { add } = inSlices(() => {
    for (const untilMs = performance.now() + 5; performance.now() < untilMs; );
  });
  const bytes = new Uint8Array(40 * 1024);
  expect(await turnsDuring(add(bytes)!)).toBeGreaterThan(38);
});
