import { generateKeyPairSync } from "node:crypto";
import { openMongo } from "@ci/kit/mongo/mongo";
import { Action, type Event } from "@ci/proto/events/v1/events";
import type { Api, ApiResponse } from "@ci/testkit/api";
import { aBuild, aManifest, aWord } from "@ci/testkit/builders";
import { collectEvents } from "@ci/testkit/collect-events";
import { type Constellation, created, type SignedUp, startConstellation } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";

// Fifty connections send the same request at once. One succeeds; the others get the reason and leave nothing behind.

const suiteNames = suite();
const connections = 50;
const qcow2 = Buffer.from([0x51, 0x46, 0x49, 0xfb, 1, 2, 3]);
const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
let ci: Constellation;
let ann: SignedUp;
let collected: Awaited<ReturnType<typeof collectEvents>>;

beforeAll(async () => {
  ci = await startConstellation(suiteNames, { settings: { REQUESTS_AT_ONCE: "0", UPLOADS_AT_ONCE: "0" } });
  collected = await collectEvents(suiteNames);
  ann = await ci.signUp();
  // Opens every connection first.
  await fifty(() => ann.get("/namespaces"));
});
afterAll(async () => {
  await collected?.[Symbol.asyncDispose]();
  await ci?.[Symbol.asyncDispose]();
});

const fifty = (send: (nth: number) => Promise<ApiResponse>): Promise<ApiResponse[]> =>
  Promise.all(Array.from({ length: connections }, (_, nth) => send(nth)));

/** Expects that one request creates a record and all others fail with these complaints. Returns the record. */
async function race(
  complaints: Readonly<Record<string, readonly string[]>>,
  send: (nth: number) => Promise<ApiResponse>,
) {
  const responses = await fifty(send);
  const created = responses.filter(({ status }) => status === 201);
  expect(created).toHaveLength(1);
  const rejected = responses.filter((response) => response !== created[0]);
  for (const { status, json } of rejected) expect([status, json]).toEqual([400, complaints]);
  return created[0]!.json;
}

type Body = NonNullable<Event["body"]>;

/** The changes of these tests with the number of their events. */
const expectedEvents: { matches: (body: Body) => boolean; count: number }[] = [];
const eventsAbout = (matches: (body: Body) => boolean) => collected.events.filter(({ body }) => body && matches(body));

/** Waits for this many events about a change and returns them. */
async function eventsOf(matches: (body: Body) => boolean, count = 1): Promise<Event[]> {
  const found = await eventually(() => {
    const current = eventsAbout(matches);
    expect(current.length).toBeGreaterThanOrEqual(count);
    return current;
  });
  expectedEvents.push({ matches, count });
  return found;
}

/** Counts the documents of stored content. */
const storedDocuments = async (service: string, bucket: string) => {
  await using mongo = await openMongo(suiteNames.mongoUrl, `${suiteNames.mongoDb}_${service}`);
  const parts = ["files", "chunks", "uploads"].map(async (part) => [
    part,
    await mongo.db.collection(`${bucket}.${part}`).estimatedDocumentCount(),
  ]);
  return Object.fromEntries(await Promise.all(parts));
};
const idsAt = async (api: Api, path: string): Promise<number[]> =>
  (await api.get(path)).json.map(({ id }: { id: number }) => id);
const taken = { name: ["Name already exists"] };

describe("parallel requests for namespaces", () => {
  test("create one root", async () => {
    const name = aWord("root");
    const { id } = await race(taken, () => ann.post("/namespaces", { name }));
    expect(await idsAt(ann, `/namespaces?search=${name}`)).toEqual([id]);
  });

  test("create one child", async () => {
    const parent = aWord("root");
    created(await ann.post("/namespaces", { name: parent }));
    const { id } = await race(taken, () => ann.post("/namespaces", { name: "child", parent }));
    expect(await idsAt(ann, `/n/${ann.username}/${parent}/-/namespaces`)).toEqual([id]);
    const found = await eventsOf(
      (body) => body.$case === "namespace" && body.value.namespace!.path === `${parent}/child`,
    );
    expect(found).toMatchObject([{ body: { value: { action: Action.created, namespace: { id } } } }]);
  });

  test.each([
    [
      "variables",
      (namespace: string, nth: number) => ann.post("/variables", { namespace, key: `K${nth}`, value: "v" }),
    ],
    ["manifests", (namespace: string) => ann.post("/builds", aBuild({ namespace }))],
  ])("of fifty %s create every record, and their namespace once", async (_, send) => {
    const root = aWord("fly");
    const records = (await fifty((nth) => send(`${root}/deep/down`, nth))).map(created);
    const tree = (await ann.get(`/namespaces?search=${root}`)).json;
    expect(tree.map(({ path }: { path: string }) => path)).toEqual([root, `${root}/deep`, `${root}/deep/down`]);
    expect(new Set(records.map(({ namespace_id }) => namespace_id))).toEqual(new Set([tree[2].id]));
    expect(new Set(records.map(({ id, number = id }) => number)).size).toBe(connections);
    for (const { id } of tree.slice(1))
      expect(await eventsOf((body) => body.$case === "namespace" && body.value.namespace!.id === id)).toHaveLength(1);
  });
});

describe("parallel requests for resources", () => {
  test("create one object, whose content is stored once", async () => {
    const before = await storedDocuments("namespaces", "objects");
    const send = (nth: number) => ann.send("POST", "/objects?name=thing", { body: `content ${nth}` });
    const { id, url } = await race(taken, send);
    expect(await idsAt(ann, "/objects")).toEqual([id]);
    expect(await eventsOf(({ $case }) => $case === "object")).toMatchObject([
      { kind: "objects", body: { value: { object: { id } } } },
    ]);
    expect(before).toEqual({ files: 0, chunks: 0, uploads: 0 });
    expect(await storedDocuments("namespaces", "objects")).toEqual({ files: 1, chunks: 1, uploads: 0 });
    expect((await ann.get(url, { accept: "text/plain; charset=utf-8" })).status).toBe(200);
  });

  test("create one variable", async () => {
    const namespace = aWord("ns");
    const send = (nth: number) => ann.post("/variables", { namespace, key: "SAME", value: `value ${nth}`, mask: true });
    const { id } = await race({ key: ["Key already exists"] }, send);
    expect(await idsAt(ann, `/n/${ann.username}/${namespace}/-/variables`)).toEqual([id]);
    const found = await eventsOf((body) => body.$case === "variable" && body.value.variable!.key === "SAME");
    expect(found).toMatchObject([{ body: { value: { action: Action.created, variable: { id } } } }]);
  });

  test("create one key, whatever the case of its name", async () => {
    const send = (nth: number) => ann.post("/keys", { name: nth % 2 ? "deploy key" : "deploy_key", key: privateKey });
    const { id } = await race(taken, send);
    expect(await idsAt(ann, "/keys")).toEqual([id]);
    expect(await eventsOf(({ $case }) => $case === "key")).toMatchObject([
      { kind: "ssh_keys", body: { value: { key: { id } } } },
    ]);
  });

  test("create one cron job, in a namespace that is created with it", async () => {
    const namespace = aWord("ns");
    const send = () => ann.post("/cron", { name: "nightly", manifest: aManifest({ namespace }) });
    const { id } = await race(taken, send);
    expect(await idsAt(ann, "/cron")).toEqual([id]);
    expect(await eventsOf(({ $case }) => $case === "cron")).toMatchObject([
      { kind: "cron", body: { value: { action: Action.created, cron: { id } } } },
    ]);
  });
});

describe("parallel requests for images", () => {
  const creationsOf = (name: string) =>
    eventsOf(({ $case, value }) => $case === "image" && value.image!.name === name && value.action === Action.created);

  test("create one upload, whose content is stored once", async () => {
    const before = await storedDocuments("images", "contents");
    const { id } = await race(taken, () => ann.send("POST", "/images?name=sent", { body: qcow2 }));
    expect(await idsAt(ann, "/images?search=sent")).toEqual([id]);
    expect(await creationsOf("sent")).toMatchObject([{ body: { value: { image: { id } } } }]);
    expect(before).toEqual({ files: 0, chunks: 0, uploads: 0 });
    expect(await storedDocuments("images", "contents")).toEqual({ files: 1, chunks: 1, uploads: 0 });
  });

  test("create one download, whose source gets one request", async () => {
    const before = await storedDocuments("images", "contents");
    const headers = { "content-type": "application/octet-stream" };
    await using source = await receiver({ answer: () => ({ status: 200, headers, body: qcow2 }) });
    const { id, url } = await race(taken, () => ann.post("/images", { name: "fetched", download_url: source.url }));
    expect(await idsAt(ann, "/images?search=fetched")).toEqual([id]);
    await eventually(async () => expect((await ann.get(url)).json.download.finished_at).not.toBeNull());
    expect(source.requests).toHaveLength(1);
    expect(await creationsOf("fetched")).toMatchObject([{ body: { value: { image: { id } } } }]);
    const added = { ...before, files: before.files + 1, chunks: before.chunks + 1 };
    await eventually(async () => expect(await storedDocuments("images", "contents")).toEqual(added));
  });
});

describe("requests of several users", () => {
  test("create one webhook for all spellings of its URL", async () => {
    const { name } = created(await ann.post("/namespaces", { name: aWord("ns") }));
    const path = `/n/${ann.username}/${name}/-/webhooks`;
    const spellings = ["http://example.com/in", "HTTP://EXAMPLE.com:80/in"];
    const send = (nth: number) => ann.post(path, { payload_url: spellings[nth % 2], secret: `s${nth}` });
    const { id } = await race({ payload_url: ["Payload URL already exists"] }, send);
    expect(await idsAt(ann, path)).toEqual([id]);
  });

  test("create one invite, by username or e-mail address, to a root or its child", async () => {
    const bob = await ci.signUp();
    const root = aWord("ns");
    created(await ann.post("/namespaces", { name: root }));
    created(await ann.post("/namespaces", { name: "child", parent: root }));
    const send = (nth: number) =>
      ann.post(`/n/${ann.username}/${nth % 3 ? root : `${root}/child`}/-/invites`, {
        handle: nth % 2 ? bob.username : bob.email,
      });
    const { id } = await race({ handle: ["Invite already sent"] }, send);
    expect(await idsAt(bob, "/invites")).toEqual([id]);
    expect(await idsAt(ann, `/n/${ann.username}/${root}/-/invites`)).toEqual([id]);
    expect(await eventsOf(({ $case }) => $case === "invite")).toMatchObject([
      { kind: "invite.sent", body: { value: { id } } },
    ]);
  });
});

describe("parallel requests for accounts", () => {
  const usernameTaken = { username: ["Username already exists"] };
  const emailTaken = { email: ["Email already exists"] };

  test.each([
    [
      "a username, in upper and lower case",
      usernameTaken,
      (word: string, nth: number) => ({
        username: nth % 2 ? word : word.toUpperCase(),
        email: `${word}.${nth}@example.com`,
      }),
    ],
    [
      "an e-mail",
      emailTaken,
      (word: string, nth: number) => ({
        username: `${word}.${nth}`,
        email: `${word}@example.com`,
      }),
    ],
    [
      "both the same",
      { ...usernameTaken, ...emailTaken },
      (word: string) => ({
        username: word,
        email: `${word}@example.com`,
      }),
    ],
  ])("create one user with %s", async (_, complaints, fields) => {
    const word = aWord("u");
    const { id } = await race(complaints, (nth) => ci.admin.post("/users", fields(word, nth)));
    expect(await idsAt(ci.admin, `/users?search=${word}`)).toEqual([id]);
    const found = await eventsOf((body) => body.$case === "user" && body.value.user!.email.startsWith(word));
    expect(found).toMatchObject([{ body: { value: { action: Action.created, user: { id } } } }]);
  });

  test("create one token, whose returned secret works", async () => {
    const carl = await ci.signUp();
    const { id, secret } = await race(taken, () => carl.post("/tokens", { name: "same", scope: "build:read" }));
    const tokens = (await carl.get("/tokens")).json.filter(({ name }: { name: string }) => name === "same");
    expect(tokens).toMatchObject([{ id }]);
    // The first event belongs to the token of the requests.
    expect(await eventsOf((body) => body.$case === "token" && body.value.userId === carl.id, 2)).toHaveLength(2);
    expect((await ci.as(secret).get("/user")).json).toMatchObject({ id: carl.id });
  });
});

test("no event was sent twice", async () => {
  const { id } = created(await ann.post("/variables", { key: "LAST", value: "v" }));
  await eventsOf((body) => body.$case === "variable" && body.value.variable!.id === id);
  expect(expectedEvents.map(({ matches }) => eventsAbout(matches).length)).toEqual(
    expectedEvents.map(({ count }) => count),
  );
});
