import fc from "fast-check";
import { automaton } from "./automaton.js";
import { createMask } from "./mask.js";
import { secretWords } from "./secret-words.js";

const variable = (value: string, masked = true) => ({ key: "K", value, masked });
const key = (privateKey: string) => ({ name: "id", config: "", privateKey });

function shown(secrets: Parameters<typeof secretWords>[0], text: string): string {
  const mask = createMask(automaton(secretWords(secrets)));
  return Buffer.concat([mask.write(Buffer.from(text)), mask.end()]).toString();
}

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

test("a private key is hidden as a whole and line by line", () => {
  const body = ["MIIEowIBAAKCAQEAx8", "shortline", "Zm9vYmFyZm9vYmFyZm9v"];
  const pem = ["-----BEGIN KEY-----", ...body, "-----END KEY-----", ""].join("\n");
  expect(shown({ variables: [], keys: [key(pem)] }, `<${pem}>`)).toBe("<xxxxxx>");
  expect(shown({ variables: [], keys: [key(pem)] }, `-----BEGIN KEY----- ${body.join(" ")}`)).toBe(
    "-----BEGIN KEY----- xxxxxx shortline xxxxxx",
  );
});
