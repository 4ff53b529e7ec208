import { turnsDuring } from "@ci/testkit/turns-during";
import { entriesIn, entriesOf, messageOf } from "./objects.js";

const commit = (message: string) => ({ type: "commit" as const, data: Buffer.from(`tree 1\n\n${message}`) });

test.each(["text", "text\n", "text\n\n\n"])("the message %j has no line breaks at its end", (message) => {
  expect(messageOf(commit(message))).toBe("text");
});

test("a message with a million line breaks in the middle is read", () => {
  const message = `a${"\n".repeat(1_000_000)}x`;
  expect(messageOf(commit(`${message}\n`))).toBe(message);
});

test("an entry with a mode that git does not know is neither a file nor a folder", async () => {
  const data = Buffer.concat([Buffer.from("constructor name\0"), Buffer.alloc(20)]);
  expect(await entriesOf({ type: "tree", data }, 20)).toMatchObject([{ kind: "other", name: "name" }]);
});

const entry = (name: string) => Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.alloc(20)]);

test("the entries of a folder are read one by one", async () => {
  const tree = { type: "tree" as const, data: Buffer.concat([entry("a"), Buffer.from("malformed")]) };
  expect(entriesIn(tree, 20).next().value).toMatchObject({ name: "a" });
  await expect(entriesOf(tree, 20)).rejects.toThrow("malformed directory");
  await expect(entriesOf({ type: "tree", data: entry("a".repeat(5_000)) }, 20)).rejects.toThrow("malformed directory");
});

test("other work runs while a large folder is read", async () => {
  const data = Buffer.concat(Array.from({ length: 30_000 }, (_, n) => entry(`${n}`)));
  expect(await turnsDuring(entriesOf({ type: "tree", data }, 20))).toBeGreaterThan(5);
});
