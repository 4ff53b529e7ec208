import type { Found } from "../../driver.js";
import { entriesIn, headOf } from "./printed.js";

const forged = "a process of the job interfered with reading it";

/** Prints the same text without end, and counts how often. */
function endless(text: string) {
  const printed = { times: 0 };
  async function* output(): AsyncGenerator<Uint8Array> {
    for (; printed.times < 10_000; printed.times++) yield Buffer.from(text);
  }
  return { output: output(), printed };
}

async function all(entries: AsyncIterable<Found>): Promise<Found[]> {
  const found: Found[] = [];
  for await (const entry of entries) found.push(entry);
  return found;
}

test("reads entries across pieces", async () => {
  async function* output() {
    for (const piece of ["f/w/", "a\0d/w/b\0l", "/w/b/c\0"]) yield Buffer.from(piece);
  }
  expect(await all(entriesIn(output(), "/w"))).toEqual([
    { path: "a", kind: "file" },
    { path: "b", kind: "directory" },
    { path: "b/c", kind: "link" },
  ]);
});

test.each([
  ["one entry without end", "x".repeat(1_000)],
  ["entries of an unknown kind", "x/w/a\0"],
  ["entries elsewhere", "f/etc/a\0"],
])("a process that prints %s instead of a list is not read to the end", async (_what, text) => {
  const { output, printed } = endless(text);
  await expect(all(entriesIn(output, "/w"))).rejects.toThrow(forged);
  expect(printed.times).toBeLessThan(200);
});

test("a process that prints a size without end is not read to the end", async () => {
  const { output, printed } = endless("9".repeat(100));
  await expect(headOf(output)).rejects.toThrow(forged);
  expect(printed.times).toBeLessThan(10);
});
