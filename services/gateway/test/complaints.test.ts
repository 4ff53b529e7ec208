import type { ApiResponse } from "@ci/testkit/api";
import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";

const ci = constellation();
let ann: SignedUp;
let innocent: SignedUp;
beforeAll(async () => {
  [ann, innocent] = await Promise.all([ci.signUp(), ci.signUp()]);
});

const messagesOf = ({ json }: ApiResponse): string[] => Object.values(json as Record<string, string[]>).flat();

/** Sends a request while another user is served, and returns its complaints. */
async function complaintsAbout(send: () => Promise<ApiResponse>): Promise<string[]> {
  const [response, ...others] = await Promise.all([send(), ...Array.from({ length: 5 }, () => innocent.get("/user"))]);
  expect(response.status).toBe(400);
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
  const messages = messagesOf(response);
  expect(messages.length).toBeGreaterThan(0);
  expect(messages.length).toBeLessThanOrEqual(50);
  expect(Buffer.byteLength(messages.join(""))).toBeLessThanOrEqual(8 * 1024);
  return messages;
}

test("a scope of 70,000 characters is refused, and a long one is quoted in part", async () => {
  const withScope = (scope: string) => complaintsAbout(() => ann.post("/tokens", { name: aWord(), scope }));
  expect(await withScope("x".repeat(70_000))).toEqual(["Scope cannot be longer than 4096 characters in length"]);
  expect(await withScope("y".repeat(4_000))).toEqual([
    `Scope invalid resource ${"y".repeat(100)}`,
    "Scope invalid permission",
  ]);
  expect(await withScope(Array.from({ length: 300 }, (_, i) => `r${i}:p${i}`).join(" "))).toHaveLength(50);
});

test("a manifest's namespace of 40,000 characters is quoted in part", async () => {
  const long = "a".repeat(40_000);
  const [message] = await complaintsAbout(() => ann.post("/builds", { manifest: aManifest({ namespace: long }) }));
  expect(message).toBe(`Manifest ${long.slice(0, 100)}: namespace: name cannot be longer than 64 characters in length`);
  await complaintsAbout(() => ann.post("/builds", { manifest: aManifest({ namespace: "a/".repeat(20_000) }) }));
});

test("3,000 unknown events of a webhook are refused, and 900 named in part", async () => {
  const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
  const events = (count: number) => Array.from({ length: count }, (_, i) => `event-${i}`);
  const withEvents = (count: number) =>
    complaintsAbout(() =>
      ann.post(`/n/${ann.username}/${name}/-/webhooks`, { payload_url: "https://a.test", events: events(count) }),
    );
  expect(await withEvents(3_000)).toEqual(["Events cannot have more than 1000 entries"]);
  expect(await withEvents(900)).toEqual(events(50).map((event) => `Events unknown event ${event}`));
});

test.each(["v", "\u0001", "ü", "😀"])("a visibility of 1 MB of %j is quoted in part", async (character) => {
  const visibility = character.repeat(1_000_000 / Buffer.byteLength(JSON.stringify(character)));
  const messages = await complaintsAbout(() => ann.post("/namespaces", { name: aWord("ns"), visibility }));
  expect(messages).toEqual([`Visibility invalid visibility ${character.repeat(100)}`]);
});

test("a comment has at most 4,096 characters", async () => {
  const manifest = aManifest();
  expect(await complaintsAbout(() => ann.post("/builds", { manifest, comment: "\u0001".repeat(300_000) }))).toEqual([
    "Comment cannot be longer than 4096 characters in length",
  ]);
  const comment = "😀".repeat(4_096);
  expect(created(await ann.post("/builds", { manifest, comment })).trigger.comment).toBe(comment);
});

test("every field of an answer keeps a message", async () => {
  const response = await ann.post("/namespaces", {
    name: "-".repeat(70_000),
    parent: "x".repeat(70_000),
    visibility: "v".repeat(70_000),
  });
  expect(Object.keys(response.json).sort()).toEqual(["name", "parent", "visibility"]);
});
