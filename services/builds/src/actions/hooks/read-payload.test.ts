import { turnsDuring } from "@ci/testkit/turns-during";
import { readPayload } from "./read-payload.js";

const json = "application/json";
const form = "application/x-www-form-urlencoded; charset=utf-8";
const maxBody = 8 * 1024 ** 2;
const repeated = (part: string) => Buffer.alloc(maxBody, part);

test("a form holds the payload in a field", async () => {
  const payload = { text: 'a b+c%41%&=é"\\' };
  const text = `first=1&${new URLSearchParams({ payload: JSON.stringify(payload) })}&last=2`;
  expect(await readPayload(form, Buffer.from(text))).toEqual({ payload });
  expect(await readPayload(form, Buffer.from('payload={"a":"100%"}'))).toEqual({ payload: { a: "100%" } });
});

test.each(["", "{", "\u0000", "payload=1"])("%j is not JSON", async (text) => {
  expect(await readPayload(json, Buffer.from(text))).toEqual({});
});

test.each(["", "a=b", "payload=%7B"])("a form %j has no payload", async (text) => {
  expect(await readPayload(form, Buffer.from(text))).toEqual({});
});

test.each([
  [
    "many values",
    json,
    Buffer.concat([Buffer.from("[[]"), repeated(",[]")]),
    "the payload has more than 200000 values",
  ],
  ["many levels", json, repeated("["), "the payload is nested more than 64 levels deep"],
  ["many fields", form, repeated("a&"), "the form has more than 100 fields"],
  ["a form of many values", form, Buffer.from(`payload=[0${",0".repeat(200_000)}]`), "more than 200000 values"],
])("%s are refused before they are parsed", async (_what, type, body, excess) => {
  expect(await readPayload(type, body)).toEqual({ excess: expect.stringContaining(excess) });
});

test("other work has its turn while a long payload is checked", async () => {
  const long = Buffer.from(JSON.stringify({ text: "x".repeat(maxBody) }));
  expect(await turnsDuring(readPayload(json, long))).toBeGreaterThanOrEqual(100);
  const encoded = Buffer.concat([Buffer.from("payload="), repeated("%20"), Buffer.from("1")]);
  expect(await turnsDuring(readPayload(form, encoded))).toBeGreaterThanOrEqual(100);
});
