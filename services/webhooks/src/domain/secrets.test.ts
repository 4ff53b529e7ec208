import { removeSecrets, replaceSecret, type Secrets, signingSecrets } from "./secrets.js";

const now = new Date("2026-01-10T00:00:00.000Z");
const until = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const justBefore = (hours: number) => new Date(until(hours).getTime() - 1);
const dayMs = 86_400_000;
const after = (secrets: Secrets, text: string) => replaceSecret(secrets, text, now, dayMs);

test.each<[string, Secrets, string, Secrets]>([
  ["the first secret becomes the current one", { earlier: [] }, "a", { current: "a", earlier: [] }],
  [
    "the same secret changes nothing",
    { current: "a", earlier: [], replaced: [] },
    "a",
    { current: "a", earlier: [], replaced: [] },
  ],
  [
    "another secret keeps the previous one for a day",
    { current: "a", earlier: [] },
    "b",
    { current: "b", earlier: [{ text: "a", until: until(24) }] },
  ],
  [
    "an earlier secret becomes the current one again",
    { current: "b", earlier: [{ text: "a", until: until(1) }] },
    "a",
    { current: "a", earlier: [{ text: "b", until: until(24) }] },
  ],
  [
    "an expired secret is dropped",
    { current: "b", earlier: [{ text: "a", until: until(0) }] },
    "c",
    { current: "c", earlier: [{ text: "b", until: until(24) }] },
  ],
  [
    "at most three earlier secrets are kept",
    { current: "d", earlier: ["c", "b", "a"].map((text) => ({ text, until: until(1) })) },
    "e",
    {
      current: "e",
      earlier: [
        { text: "d", until: until(24) },
        { text: "c", until: until(1) },
        { text: "b", until: until(1) },
      ],
    },
  ],
])("%s", (_, secrets, text, expected) => {
  expect(after(secrets, text)).toMatchObject(expected);
});

/** Replaces the secret once an hour. */
const changedTo = (...texts: string[]) =>
  texts.reduce<Secrets>((secrets, text, index) => replaceSecret(secrets, text, until(index + 1), dayMs), {
    current: "a",
    earlier: [],
  });
const changed = changedTo("b", "c");

test.each<[string, Secrets, Date, string[]]>([
  ["before all changes", changed, until(0), ["a"]],
  ["between two changes", changed, until(1), ["b", "a"]],
  ["after the last change", changed, until(2), ["c", "b", "a"]],
  ["just before a change", changed, justBefore(2), ["b", "a"]],
  ["when earlier secrets have expired", changed, until(26), ["c"]],
  ["before the secret was removed", removeSecrets(changed, until(3)), until(2), ["c", "b", "a"]],
  ["just before the secret was removed", removeSecrets(changed, until(3)), justBefore(3), ["c", "b", "a"]],
  ["after the secret was removed", removeSecrets(changed, until(3)), until(3), []],
  ["before more changes than are kept", changedTo("b", "c", "d", "e"), until(0), ["b", "a"]],
])("finds the secrets of an event %s", (_, secrets, at, expected) => {
  expect(signingSecrets(secrets, at)).toStrictEqual(expected);
});

test("removing the secret again changes nothing", () => {
  const removed = removeSecrets(changed, until(3));
  expect(removeSecrets(removed, until(4))).toEqual(removed);
});
