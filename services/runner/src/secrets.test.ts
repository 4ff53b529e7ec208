import fc from "fast-check";
import { createMask, masked } from "./mask.js";
import { secretsOf } from "./secrets.js";

const variable = (value: string, masked = true) => ({ key: "K", value, masked });
const key = (privateKey: string) => ({ name: "id", config: "", privateKey });

const shown = (secrets: Parameters<typeof secretsOf>[0], text: string) => masked(secretsOf(secrets), text);

const shownFor = (value: string, text: string) => shown({ variables: [variable(value)], keys: [] }, text);

test("values that are not masked are shown", () => {
  expect(shown({ variables: [variable("hello", false)], keys: [] }, "hello")).toBe("hello");
});

test("an empty value hides nothing", () => {
  expect(shownFor("", "text")).toBe("text");
});

test("of several lines the longer ones are hidden each", () => {
  expect(shownFor("first line\nab\nsecond line\r\n", "second line, ab, first line")).toBe("xxxxxx, ab, xxxxxx");
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
])("a value is hidden in %s", (_how, encode) => {
  for (const value of ["p@ss w/rd?", 'grün & "quoted"', "line\ntwo", "a+b/c==", "12345", "123456", "1234567"])
    expect(shownFor(value, `>${encode(value)}<`)).toBe(">xxxxxx<");
});

test("a value is hidden inside of a longer text in base64", () => {
  const secret = fc.string({ unit: "binary", minLength: 8, maxLength: 40 });
  fc.assert(
    fc.property(
      secret,
      fc.string(),
      fc.string(),
      fc.constantFrom("base64" as const, "base64url" as const),
      (value, before, after, how) => {
        const text = Buffer.from(before + value + after).toString(how);
        const out = shownFor(value, text);
        expect(out).toContain("xxxxxx");
        // At most two characters at the start tell a few bits of the value.
        const left = out.slice(out.lastIndexOf("xxxxxx") + 6);
        expect(text.endsWith(left)).toBe(true);
        expect(left.replace(/=+$/, "").length).toBeLessThanOrEqual(Math.ceil((Buffer.byteLength(after) * 8) / 6));
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ["Python's addresses", "a/b c:d", "a/b%20c%3Ad"],
  ["whole addresses", "a/b c:é", "a/b%20c:%C3%A9"],
  ["each byte of an address", "secret", "%73%65%63%72%65%74"],
  ["JSON of PHP", "a/b é", "a\\/b \\u00e9"],
  ["JSON of .NET", 'say "é+"', "say \\u0022\\u00E9\\u002B\\u0022"],
  ["JSON of Go", "a<b>&c", "a\\u003cb\\u003e\\u0026c"],
  ["a trace of bash", "it's one", "it'\\''s one"],
  ["a trace of busybox", "it's 'one'", `it'"'"'s '"'"'one'"'"`],
])("a value is hidden in %s", (_how, value, text) => {
  expect(shownFor(value, `>${text}<`)).toBe(">xxxxxx<");
});

test.each([
  [76, "\n"],
  [64, "\n"],
  [76, "\r\n"],
])("base64 in lines of %d is hidden as a whole", (width, end) => {
  const value = "0123456789 a long secret ".repeat(20);
  const text = Buffer.from(`user:${value}`).toString("base64");
  const lines = text.match(new RegExp(`.{1,${width}}`, "g"))!.join(end);
  expect(shownFor(value, lines)).toMatch(/^.{6,7}xxxxxx$/);
});

test("a word of base64 that begins at the end of a line keeps nobody waiting for the next", () => {
  const mask = createMask(secretsOf({ variables: [variable("secret")], keys: [] }));
  expect(Buffer.from(mask.write(Buffer.from("which c2V\n"))).toString()).toBe("which c2V\n");
  expect(Buffer.from(mask.write(Buffer.from("jcmV0 and c2Vj\n"))).toString()).toBe("xxxxxx and ");
  expect(Buffer.from(mask.write(Buffer.from("\nall"))).toString()).toBe("c2Vj\n\nall");
});

test("a value is hidden without the line break at its end, in base64 too", () => {
  expect(shownFor("secret\n", `secret ${Buffer.from("secret").toString("base64")}.`)).toBe("xxxxxx xxxxxx.");
  expect(shownFor("a\n\n\n\n\n", "banana")).toBe("banana");
});

test("lines are counted in characters", () => {
  expect(shownFor("😀😀😀\n😀😀😀😀😀😀", "😀😀😀 😀😀😀😀😀😀")).toBe("😀😀😀 xxxxxx");
});

test("the break at the end of the last line is no character of it", () => {
  expect(shownFor("first line\nabcde\r", "abcde\r, first line")).toBe("abcde\r, xxxxxx");
});

test("a private key is hidden as a whole and line by line", () => {
  const body = ["MIIEowIBAAKCAQEAx8", "shortline", "Zm9vYmFyZm9vYmFyZm9v"];
  const pem = ["-----BEGIN KEY-----", ...body, "-----END KEY-----", ""].join("\n");
  expect(shown({ variables: [], keys: [key(pem)] }, `<${pem}>`)).toBe("<xxxxxx>");
  expect(shown({ variables: [], keys: [key(pem)] }, `-----BEGIN KEY----- ${body.join(" ")}`)).toBe(
    "-----BEGIN KEY----- xxxxxx shortline xxxxxx",
  );
});
