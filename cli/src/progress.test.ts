import { ioOf } from "../test/_io.js";
import { printList } from "./list.js";
import { progressOf } from "./progress.js";

test("progress is shown on a terminal only, and not if it is to be quiet", () => {
  const shown = [ioOf({ tty: true }), ioOf(), ioOf({ tty: true, options: { quiet: true } })].map((io) => {
    const progress = progressOf(io, "a\u001b[2J.bin", 2_048);
    progress.update(512);
    progress.clear();
    return io.stderr.text;
  });
  expect(shown).toEqual(["\r\u001b[Ka\\u001b[2J.bin  25 %  512 B of 2.0 KiB\r\u001b[K", "", ""]);
});

test("a terminal is told that a list is longer, and a limit requests no further record", async () => {
  let read = 0;
  async function* records() {
    for (read = 1; ; read++) yield { name: `n${read}` };
  }
  const list = { columns: ["name"], nameOf: ({ name }: Readonly<Record<string, unknown>>) => String(name), limit: 2 };
  for (const tty of [true, false]) {
    const io = ioOf({ tty, env: { NO_COLOR: "1" } });
    await printList(io, records(), list);
    expect(io.stdout.text).toBe(tty ? "NAME\nn1\nn2\n" : "n1\nn2\n");
    expect(io.stderr.text).toBe(tty ? "Only the first 2 are shown. Raise --limit to see more\n" : "");
    expect(read).toBe(3);
  }
});

test("JSON on a terminal is indented, and its control characters are escaped", async () => {
  const record = { name: "\u009b31m\u001b" };
  const [terminal, pipe] = [ioOf({ tty: true, options: { json: true } }), ioOf({ options: { json: true } })];
  async function* records() {
    yield record;
  }
  for (const io of [terminal, pipe]) await printList(io, records(), { columns: [], nameOf: () => "" });
  expect(terminal.stdout.text).toBe('[\n  {\n    "name": "\\u009b31m\\u001b"\n  }\n]\n');
  expect(JSON.parse(terminal.stdout.text)).toEqual([record]);
  expect(pipe.stdout.text).toBe(`${JSON.stringify([record])}\n`);
});
