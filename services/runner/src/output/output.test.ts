import { once } from "node:events";
import { pacer } from "@ci/kit/turns/pacer";
import { eventually } from "@ci/testkit/eventually";
import { turnsDuring } from "@ci/testkit/turns-during";
import { automaton } from "./automaton.js";
import { jobOutput, type OutputOptions, type Piece } from "./output.js";
import type { Secrets } from "./secrets.js";

const pace = pacer(Number.MAX_SAFE_INTEGER);
const hiding = async (...words: string[]): Promise<Secrets> => ({
  words: await automaton(
    words.map((word) => Buffer.from(word)),
    pace,
  ),
  encoded: await automaton([], pace),
  spaced: await automaton([], pace),
});
let nothing: Secrets;
beforeAll(async () => {
  nothing = await hiding();
});

/** Returns an output, its sent pieces, and a function that joins them as the queue does. */
function open(options: Partial<OutputOptions> = {}) {
  const pieces: Piece[] = [];
  const output = jobOutput({
    offset: 0,
    limitBytes: 16 * 1024 ** 2,
    secrets: nothing,
    send: async (piece) => pieces.push(piece),
    ...options,
  });
  const joined = (last?: Piece) => {
    let end = options.offset ?? 0;
    return [...pieces, ...(last ? [last] : [])].reduce((text, piece) => {
      expect(piece.offset).toBe(end);
      end += Buffer.byteLength(piece.text);
      return text + piece.text;
    }, "");
  };
  return { output, pieces, joined };
}

const bytes = (...values: number[]) => Buffer.from(values);

test("finish returns a short text that was not sent yet", async () => {
  const { output, pieces } = open({ offset: 7, flushAfterMs: 60_000 });
  await output.write(Buffer.from("hello"));
  expect(await output.finish()).toEqual({ offset: 7, text: "hello" });
  expect(pieces).toEqual([]);
});

test("the output sends text while the job runs", async () => {
  const { output, pieces } = open();
  await output.write(Buffer.from("hello "));
  await eventually(() => expect(pieces).toEqual([{ offset: 0, text: "hello " }]));
  await output.write(Buffer.from("world"));
  await eventually(() => expect(pieces[1]).toEqual({ offset: 6, text: "world" }));
  expect(await output.finish()).toEqual({ offset: 11, text: "" });
});

test("the output turns bytes into valid text without NUL", async () => {
  const { output } = open({ flushAfterMs: 60_000 });
  const euro = Buffer.from("€");
  for (const piece of [bytes(0x61, 0, 0xff), euro.subarray(0, 1), euro.subarray(1), bytes(0xe2, 0x82)])
    await output.write(piece);
  expect(await output.finish()).toEqual({ offset: 0, text: "aNUL\ufffd€\ufffd" });
});

test("the output hides secrets, also in the runner's own lines", async () => {
  const { output } = open({ secrets: await hiding("secret"), flushAfterMs: 60_000 });
  await output.write(Buffer.from("a sec"));
  await output.write(Buffer.from("ret sec"));
  output.line("Placing secret");
  expect((await output.finish()).text).toBe("a xxxxxx sec\nPlacing xxxxxx\n");
});

test("the output puts the runner's lines on separate lines", async () => {
  const { output } = open({ flushAfterMs: 60_000 });
  output.line("one");
  await output.write(Buffer.from("no newline"));
  output.line("two");
  expect((await output.finish()).text).toBe("one\nno newline\ntwo\n");
});

test.each([
  ["abcdefgh", 8, "abcdefgh"],
  ["abcdefghi", 8, "abcdefgh\n-- output truncated after 8 bytes --\n"],
  ["abcdefg\nhi", 8, "abcdefg\n-- output truncated after 8 bytes --\n"],
  ["abcdefg€", 8, "abcdefg\n-- output truncated after 7 bytes --\n"],
])("the output truncates %j at a limit of %d bytes to %j", async (text, limitBytes, expected) => {
  const { output } = open({ limitBytes, flushAfterMs: 60_000 });
  for (const character of text) await output.write(Buffer.from(character));
  await output.write(Buffer.alloc(0));
  expect((await output.finish()).text).toBe(expected);
});

test.each([
  ["without secrets", []],
  ["with secrets", ["secret"]],
])("the runner's lines follow a truncated output, %s", async (_how, words) => {
  const { output, pieces, joined } = open({ limitBytes: 8, secrets: await hiding(...words), flushAfterMs: 1 });
  const pending = output.write(Buffer.from("abcdefghij"));
  output.line("one secr\0et");
  await pending;
  await output.write(Buffer.from("secret\n"));
  output.line("two secret");
  const shown = `abcdefgh\n-- output truncated after 8 bytes --\none secrNULet\ntwo ${words.length ? "xxxxxx" : "secret"}\n`;
  await eventually(() => expect(pieces.map(({ text }) => text).join("")).toBe(shown));
  output.line("three");
  expect(joined(await output.finish("four"))).toBe(`${shown}three\nfour\n`);
});

test("a line of the runner that reaches the limit is repeated whole", async () => {
  const { output } = open({ limitBytes: 8, flushAfterMs: 60_000 });
  output.line("a line of the runner");
  expect((await output.finish()).text).toBe("a line o\n-- output truncated after 8 bytes --\na line of the runner\n");
});

test("the runner's lines after a truncated output have 64 KiB, and its last line more", async () => {
  const { output, joined } = open({ limitBytes: 1, flushAfterMs: 60_000 });
  await output.write(Buffer.from("\n\n"));
  output.line("x".repeat(64 * 1024));
  for (const text of ["y".repeat(64 * 1024 - 9), "too long", "last"]) output.line(text);
  expect(joined(await output.finish("the end"))).toBe(
    `\n-- output truncated after 1 bytes --\n${"y".repeat(64 * 1024 - 9)}\nlast\nthe end\n`,
  );
});

test("the output sends a long text completely, in order and in pieces of at most 256 KiB", async () => {
  const { output, pieces, joined } = open({ secrets: await hiding("7") });
  let text = "";
  for (let line = 0; line < 40_000; line++) text += `line ${line} ${"é".repeat(line % 30)}\n`;
  const encoded = Buffer.from(text);
  for (let offset = 0; offset < encoded.length; offset += 9_999)
    await output.write(encoded.subarray(offset, offset + 9_999));
  const last = await output.finish();
  expect(joined(last)).toBe(text.replaceAll("7", "xxxxxx"));
  expect(Math.max(...[...pieces, last].map((piece) => Buffer.byteLength(piece.text)))).toBeLessThanOrEqual(256 * 1024);
});

test("write waits for a slow queue", async () => {
  const gate = new EventTarget();
  const { output } = open({ send: () => once(gate, "open") });
  let written = 0;
  const writing = (async () => {
    for (; written < 100; written++) await output.write(Buffer.alloc(64 * 1024, "a"));
  })();
  await eventually(() => expect(written).toBeGreaterThanOrEqual(7));
  expect(written).toBeLessThanOrEqual(16);
  const pump = setInterval(() => gate.dispatchEvent(new Event("open")), 1);
  await writing;
  await output.finish();
  clearInterval(pump);
});

test("write and finish throw the error of a queue that rejects the output", async () => {
  const refused = new Error("refused");
  const { output } = open({ send: () => Promise.reject(refused), flushAfterMs: 1 });
  await output.write(Buffer.from("x"));
  await eventually(() => expect(output.write(Buffer.from("y"))).rejects.toBe(refused));
  await expect(output.finish()).rejects.toBe(refused);
});

test("other work gets its turn while a large chunk is masked, and while many small ones are", async () => {
  const secrets = await hiding("secret");
  const chunk = Buffer.from("a secret line\n".repeat(40_000));
  const { output, joined } = open({ secrets });
  expect(await turnsDuring(output.write(chunk))).toBeGreaterThan(chunk.length / 8_192 - 2);
  const small = async () => {
    for (let at = 0; at < chunk.length; at += 100) await output.write(chunk.subarray(at, at + 100));
  };
  expect(await turnsDuring(small())).toBeGreaterThan(chunk.length / 8_192 - 2);
  const text = joined(await output.finish());
  expect(text).toBe("a xxxxxx line\n".repeat(80_000));
});

test("builds take turns: a short output does not wait for a long one", async () => {
  const secrets = await hiding("secret");
  const [long, short] = [open({ secrets }), open({ secrets })];
  let longEnded = false;
  const pending = long.output.write(Buffer.alloc(4 * 1024 ** 2, "x")).then(() => {
    longEnded = true;
  });
  const turns = await turnsDuring(short.output.write(Buffer.from("a secret".repeat(2_000))));
  expect([turns < 20, longEnded]).toEqual([true, false]);
  await pending;
});

test("a line is sent without more output, with secrets too", async () => {
  const { output, pieces } = open({ secrets: await hiding("secret"), flushAfterMs: 1 });
  output.line("a secret");
  await eventually(() => expect(pieces).toEqual([{ offset: 0, text: "a xxxxxx\n" }]));
});

test("lines that are added while a chunk is masked come after it, also before the end", async () => {
  const { output, joined } = open({ secrets: await hiding("secret") });
  const chunk = `${"x".repeat(50_000)}secret\n`;
  const pending = output.write(Buffer.from(chunk));
  output.line("one secret");
  output.line("two");
  const last = output.finish("three");
  await pending;
  expect(joined(await last)).toBe(`${"x".repeat(50_000)}xxxxxx\none xxxxxx\ntwo\nthree\n`);
});

test("other work gets its turn while a long last line is masked", async () => {
  const line = "a secret, ".repeat(50_000);
  const { output, joined } = open({ secrets: await hiding("secret") });
  output.line("one");
  let last: Piece | undefined;
  const finish = async () => {
    last = await output.finish(line);
  };
  expect(await turnsDuring(finish())).toBeGreaterThan(line.length / 8_192 - 2);
  expect(joined(last)).toBe(`one\n${line.replaceAll("secret", "xxxxxx")}\n`);
});
