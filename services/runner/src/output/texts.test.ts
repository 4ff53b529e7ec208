import { turnsDuring } from "@ci/testkit/turns-during";
import { secretsOf } from "./secrets.js";
import { textMask } from "./texts.js";

const secret = "correct-horse-battery";
const maskOf = async () =>
  textMask(await secretsOf({ variables: [{ key: "K", value: secret, masked: true }], keys: [] }));

test.each([
  ["hides a secret", `a ${secret} b`, false, "a xxxxxx b"],
  ["shows what only begins a secret", "a correct-horse", false, "a correct-horse"],
  ["leaves out the begin of a secret where a text is cut", "a correct-horse", true, "a "],
  ["leaves out no more where a text is cut", `a ${secret} b`, true, "a xxxxxx b"],
  ["leaves out the begin of an encoded secret", `a ${Buffer.from(secret).toString("base64").slice(0, 9)}`, true, "a "],
  ["has nothing for no text", "", true, ""],
])("%s", async (_what, text, isCut, shown) => {
  expect(await (await maskOf())(text, isCut)).toBe(shown);
});

test("a text is not continued by the next", async () => {
  const mask = await maskOf();
  expect(await mask("correct-", true)).toBe("");
  expect(await mask("horse-battery", false)).toBe("horse-battery");
});

test("other work has its turn for each 8 KiB", async () => {
  const mask = await maskOf();
  const manyTexts = async () => {
    for (let count = 0; count < 1_024; count++) await mask("x".repeat(1_024), false);
  };
  expect(await turnsDuring(mask("x".repeat(1024 ** 2), false))).toBeGreaterThan(100);
  expect(await turnsDuring(manyTexts())).toBeGreaterThan(100);
});
