import { execFileSync } from "node:child_process";
import { turnsDuring } from "@ci/testkit/turns-during";
import fc from "fast-check";
import { createMask } from "./mask.js";
import { secretsOf } from "./secrets.js";
import { masked } from "./texts.js";

const variable = (value: string, masked = true) => ({ key: "K", value, masked });
const key = (privateKey: string) => ({ name: "id", config: "", privateKey });

const maskedBy = async (secrets: Parameters<typeof secretsOf>[0], text: string) =>
  masked(await secretsOf(secrets), text);

const maskedFor = (value: string, text: string) => maskedBy({ variables: [variable(value)], keys: [] }, text);

test("values of variables that are not masked are shown", async () => {
  expect(await maskedBy({ variables: [variable("hello", false)], keys: [] }, "hello")).toBe("hello");
});

test("an empty value hides nothing", async () => {
  expect(await maskedFor("", "text")).toBe("text");
});

test("each line of six or more characters of a value is hidden", async () => {
  expect(await maskedFor("first line\nab\nsecond line\r\n", "second line, ab, first line")).toBe("xxxxxx, ab, xxxxxx");
});

test.each([
  ["base64", (value: string) => Buffer.from(value).toString("base64")],
  ["base64 for URLs", (value: string) => Buffer.from(value).toString("base64url")],
  ["percent-encoding", encodeURIComponent],
  [
    "percent-encoding in lower case",
    (value: string) => encodeURIComponent(value).replace(/%../g, (c) => c.toLowerCase()),
  ],
  ["form encoding", (value: string) => encodeURIComponent(value).replaceAll("%20", "+")],
  ["JSON", (value: string) => JSON.stringify(value).slice(1, -1)],
])("a value in %s is hidden", async (_how, encode) => {
  for (const value of ["p@ss w/rd?", 'grün & "quoted"', "line\ntwo", "a+b/c==", "12345", "123456", "1234567"])
    expect(await maskedFor(value, `>${encode(value)}<`)).toBe(">xxxxxx<");
});

test("a value inside a longer text in base64 is hidden", async () => {
  const secret = fc.string({ unit: "binary", minLength: 8, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      secret,
      fc.string(),
      fc.string(),
      fc.constantFrom("base64" as const, "base64url" as const),
      async (value, before, after, encoding) => {
        const text = Buffer.from(before + value + after).toString(encoding);
        const out = await maskedFor(value, text);
        expect(out).toContain("xxxxxx");
        // Up to two leading characters may reveal a few bits of the value.
        const rest = out.slice(out.lastIndexOf("xxxxxx") + 6);
        expect(text.endsWith(rest)).toBe(true);
        expect(rest.replace(/=+$/, "").length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(after) * 8) / 6));
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ["Python's URLs", "a/b c:d", "a/b%20c%3Ad"],
  ["a whole URL", "a/b c:é", "a/b%20c:%C3%A9"],
  ["a URL with every byte encoded", "secret", "%73%65%63%72%65%74"],
  ["JSON of PHP", "a/b é", "a\\/b \\u00e9"],
  ["JSON of .NET", 'say "é+"', "say \\u0022\\u00E9\\u002B\\u0022"],
  ["JSON of Go", "a<b>&c", "a\\u003cb\\u003e\\u0026c"],
  ["a trace of bash", "it's one", "it'\\''s one"],
  ["a trace of busybox", "it's 'one'", `it'"'"'s '"'"'one'"'"`],
])("a value in %s is hidden", async (_how, value, text) => {
  expect(await maskedFor(value, `>${text}<`)).toBe(">xxxxxx<");
});

test.each(["C", "C.UTF-8"])("bash shows no value in the locale %s", async (locale) => {
  const script = `exec 2>&1; set -x; : "$S" $'\\x01'"$S"; copy=$S; printf '%q' "$S"`;
  for (const value of ["größe-geheim", "ü😀 it's\t\\", "a\x01b-\x7f\x1b[0m", "first ü\nsecond \x07\b\f\v\r"]) {
    const env = { LC_ALL: locale, S: value };
    const shown = await maskedFor(value, execFileSync("/bin/bash", ["-c", script], { env, encoding: "utf8" }));
    const unquoted = shown.replace(/\$?('?)(\\001|[^\P{Cc}\n])?xxxxxx\1/gu, "S");
    expect(unquoted).toBe("+ : S S\n+ copy=S\n+ printf %q S\nS");
  }
});

test.each([
  [76, "\n"],
  [64, "\n"],
  [76, "\r\n"],
])("base64 in lines of %d characters is hidden completely", async (width, end) => {
  const value = "0123456789 a long secret ".repeat(20);
  const text = Buffer.from(`user:${value}`).toString("base64");
  const lines = text.match(new RegExp(`.{1,${width}}`, "g"))!.join(end);
  expect(await maskedFor(value, lines)).toMatch(/^.{6,7}xxxxxx$/);
});

test("a line that ends with the beginning of a base64 word is shown at once", async () => {
  const mask = createMask(await secretsOf({ variables: [variable("secret")], keys: [] }));
  expect(Buffer.from(mask.write(Buffer.from("which c2V\n"))).toString()).toBe("which c2V\n");
  expect(Buffer.from(mask.write(Buffer.from("jcmV0 and c2Vj\n"))).toString()).toBe("xxxxxx and ");
  expect(Buffer.from(mask.write(Buffer.from("\nall"))).toString()).toBe("c2Vj\n\nall");
});

test("a value without its final line break is hidden, in base64 too", async () => {
  expect(await maskedFor("secret\n", `secret ${Buffer.from("secret").toString("base64")}.`)).toBe("xxxxxx xxxxxx.");
  expect(await maskedFor("a\n\n\n\n\n", "banana")).toBe("banana");
});

test("the length of a line is counted in characters", async () => {
  expect(await maskedFor("😀😀😀\n😀😀😀😀😀😀", "😀😀😀 😀😀😀😀😀😀")).toBe("😀😀😀 xxxxxx");
});

test("the final line break does not count as a character", async () => {
  expect(await maskedFor("first line\nabcde\r", "abcde\r, first line")).toBe("abcde\r, xxxxxx");
});

test("a private key is hidden as a whole and line by line", async () => {
  const body = ["MIIEowIBAAKCAQEAx8", "shortline", "Zm9vYmFyZm9vYmFyZm9v"];
  const pem = ["-----BEGIN KEY-----", ...body, "-----END KEY-----", ""].join("\n");
  expect(await maskedBy({ variables: [], keys: [key(pem)] }, `<${pem}>`)).toBe("<xxxxxx>");
  expect(await maskedBy({ variables: [], keys: [key(pem)] }, `-----BEGIN KEY----- ${body.join(" ")}`)).toBe(
    "-----BEGIN KEY----- xxxxxx shortline xxxxxx",
  );
});

const pemBody = ["MIIEowIBAAKCAQEAx8+/Zm9vYmFyZm9v", "shortline", "Zm9vYmFyZm9vYmFy/+Zm9vYmFyZg=="];
const pem = ["-----BEGIN KEY-----", ...pemBody, "-----END KEY-----", ""].join("\n");

test.each([
  ["a line of a private key", { variables: [], keys: [key(pem)] }, pemBody[0]!],
  ["the last line of a private key", { variables: [], keys: [key(pem)] }, pemBody[2]!],
  [
    "a line of a value",
    { variables: [variable('{\n  "key": "a+b/c d\\e=",\n}')], keys: [] },
    '  "key": "a+b/c d\\e=",',
  ],
])("%s is hidden in other spellings too", async (_what, secrets, line) => {
  for (const encoding of ["base64", "base64url"] as const)
    for (const before of ["", "x", "xy", "xyz"]) {
      const text = Buffer.from(`${before}${line}`).toString(encoding);
      const out = await maskedBy(secrets, `>${text}<`);
      // The characters of earlier bytes are shown, with at most a few bits of the line.
      expect(out).toMatch(new RegExp(`^>.{${Math.ceil((before.length * 8) / 6)}}xxxxxx<$`));
    }
  for (const text of [encodeURIComponent(line), encodeURI(line), JSON.stringify(line).slice(1, -1)])
    expect(await maskedBy(secrets, `>${text}<`)).toBe(">xxxxxx<");
});

test("a value after a stray backslash or percent sign is hidden", async () => {
  expect(await maskedFor("üüüüüü", `\\${"\\u00fc".repeat(6)}`)).toBe("\\xxxxxx");
  expect(await maskedFor("a b c d", "%2%61%20b+c%20d")).toBe("%2xxxxxx");
});

test("secrets of 256 KiB need less than 64 MiB of memory", async () => {
  const line = (index: number) => `${index}`.padStart(9, " /+&'\"<>=%");
  const value = (from: number) => Array.from({ length: 6_500 }, (_, index) => line(from + index)).join("\n");
  const before = process.memoryUsage().arrayBuffers;
  const secrets = await secretsOf({
    variables: [0, 1, 2, 3].map((index) => variable(value(index * 10_000))),
    keys: [],
  });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 ** 2);
  expect(await masked(secrets, Buffer.from(line(20_007)).toString("base64"))).toBe("xxxxxx");
});

test("other work gets its turn while the spellings of large values are prepared, in proportion to their size", async () => {
  const turnsFor = (value: string) => turnsDuring(secretsOf({ variables: [variable(value)], keys: [] }));
  const lines = (count: number) =>
    Array.from({ length: count }, (_, index) => `${index}'`.padStart(15, "x")).join("\n");
  const few = await turnsFor(lines(2_048));
  expect(few).toBeGreaterThan(4);
  expect(await turnsFor(lines(4_096))).toBeGreaterThan(1.8 * few);
});

test("a value of 64 KiB of line breaks is read in linear time", async () => {
  // Quadratic work of a regular expression: 64 of these took minutes.
  const variables = Array.from({ length: 64 }, () => variable(`${"\n".repeat(64 * 1024)}secret`));
  const before = process.cpuUsage();
  expect(await masked(await secretsOf({ variables, keys: [] }), "my secret")).toBe("my xxxxxx");
  expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
});

test("base64 of a large value with one character in each line is hidden in linear time", async () => {
  const value = "A".repeat(64 * 1024);
  const before = process.cpuUsage();
  const mask = createMask(await secretsOf({ variables: [variable(value)], keys: [] }));
  const lines = Buffer.from(Buffer.from(value.repeat(2)).toString("base64").replace(/./g, "$&\n"));
  let out = "";
  for (let from = 0; from < lines.length; from += 1024) {
    out += Buffer.from(mask.write(lines.subarray(from, from + 1024))).toString();
    await new Promise(setImmediate);
  }
  out += Buffer.from(mask.end()).toString();
  // Before a line break, fewer than four characters are shown.
  expect(out).toBe("Q\nxxxxxx\n");
  expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
});
