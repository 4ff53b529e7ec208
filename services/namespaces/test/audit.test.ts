import { randomUUID } from "node:crypto";
import { type AuditEntry, AuditServiceDefinition } from "@ci/proto/namespaces/v1/audit";
import { connect, openedIdentity } from "@ci/testkit/identities";
import { pruneAudit } from "../src/loops/prune-audit.js";
import { auditStore } from "../src/store/audit.js";
import { namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
const audit = () => ci.peer.client(AuditServiceDefinition);
const record = (...entries: Partial<AuditEntry>[]) => audit().recordEntries({ entries });

/** An entry of a request with a unique namespace, to find it by. */
const anEntry = (fields: Partial<AuditEntry> = {}) => ({
  id: randomUUID(),
  userId: 7,
  username: "ann",
  tokenId: 8,
  tokenName: "laptop",
  action: "createVariable",
  kind: "variable",
  method: "POST",
  path: "/variables",
  namespace: `${randomUUID()}@ann`,
  address: "192.0.2.1",
  userAgent: "curl",
  requestId: "r1",
  ...fields,
});
const listed = async ({ namespace }: { namespace: string }) => (await audit().listEntries({ namespace })).entries;

describe("an entry", () => {
  test("is unfinished until its status arrives, and then never changes", async () => {
    const entry = anEntry();
    await record(entry);
    expect(await listed(entry)).toMatchObject([{ ...entry, actor: "user", outcome: "unfinished", status: undefined }]);
    const [{ at }] = (await listed(entry)) as [AuditEntry];
    await record({ ...entry, status: 201, record: "/variables/12" });
    const ended = [{ ...entry, at, outcome: "done", status: 201, record: "/variables/12" }];
    expect(await listed(entry)).toMatchObject(ended);
    await record({ ...entry, status: 500, username: "eve" }, entry);
    expect(await listed(entry)).toMatchObject(ended);
  });

  test("is stored once if it arrives several times, in any order and at the same time", async () => {
    for (const fields of [
      [{}, { status: 404 }],
      [{ status: 404 }, {}],
      [{}, {}, { status: 404 }, { status: 404 }],
    ]) {
      const entry = anEntry();
      await Promise.all(fields.map((more) => record({ ...entry, ...more })));
      expect(await listed(entry)).toMatchObject([{ id: entry.id, outcome: "refused", status: 404 }]);
    }
  });

  test("has the time when it was made, however late it arrives", async () => {
    const entry = anEntry();
    await record({ ...entry, ageMs: 3_600_000 });
    await record({ ...entry, status: 201 });
    const at = (await listed(entry))[0]!.at!.getTime();
    expect(Math.abs(Date.now() + ci.clock.offsetMs - 3_600_000 - at)).toBeLessThan(600_000);
  });

  test.each([
    [201, "done"],
    [302, "done"],
    [404, "refused"],
    [503, "failed"],
  ])("with status %i is %s", async (status, outcome) => {
    const entry = anEntry({ status });
    await record(entry);
    expect(await listed(entry)).toMatchObject([{ outcome }]);
  });

  test("holds no text beyond its limit", async () => {
    const long = "x".repeat(100_000);
    const entry = anEntry({
      path: long,
      userAgent: long,
      username: long,
      tokenName: long,
      address: long,
      record: long,
    });
    await record({ ...entry, requestId: long, method: long, action: long, kind: long, origin: long });
    const doc = await ci.db.collection("audit").findOne({ namespace: entry.namespace });
    expect(doc).toMatchObject({ path: "x".repeat(1_024), userAgent: "x".repeat(200) });
    expect(JSON.stringify(doc).length).toBeLessThan(5_000);
  });
});

describe("a list", () => {
  test("is newest first, in pages of 25", async () => {
    const namespace = `${randomUUID()}@ann`;
    const entries = Array.from({ length: 30 }, (_, nth) => anEntry({ namespace, path: `/variables/${nth}` }));
    for (const entry of entries) {
      ci.clock.offsetMs += 1_000;
      await record(entry);
    }
    const paths = async (number: number) =>
      (await audit().listEntries({ namespace, page: { number } })).entries.map(({ path }) => path);
    const newestFirst = entries.map(({ path }) => path).reverse();
    expect(await paths(1)).toEqual(newestFirst.slice(0, 25));
    expect(await paths(2)).toEqual(newestFirst.slice(25));
    expect((await audit().listEntries({ namespace, page: { number: 3 } })).page).toMatchObject({ lastPage: 2 });
    // Counting all needs an index too.
    expect((await audit().listEntries({ page: { number: 1_000 } })).page?.lastPage).toBeGreaterThan(1);
    const ofNobody = { username: "nobody-has-this-name", page: { number: 3 } };
    expect((await audit().listEntries(ofNobody)).page).toMatchObject({ lastPage: 1 });
  });

  test("is filtered by each field and by all together", async () => {
    const ann = await ci.aUser();
    const entry = anEntry({ userId: ann.id, tokenId: ann.id, action: `a${ann.id}`, kind: `k${ann.id}`, status: 400 });
    ci.clock.offsetMs += 60_000;
    const from = new Date(Date.now() + ci.clock.offsetMs - 1_000);
    await record(entry);
    ci.clock.offsetMs += 60_000;
    const to = new Date(Date.now() + ci.clock.offsetMs - 1_000);
    await record(anEntry({ status: 400 }));
    const { namespace, action, kind, tokenId } = entry;
    const filters = { username: ann.username.toUpperCase(), tokenId, action, kind, namespace };
    const ids = async (filter: object) => (await audit().listEntries(filter)).entries.map(({ id }) => id);
    for (const [name, value] of Object.entries(filters)) expect(await ids({ [name]: value })).toEqual([entry.id]);
    expect(await ids({ outcome: "refused", from, to })).toEqual([entry.id]);
    expect(await ids({ from, to })).toEqual([entry.id]);
    expect(await ids({ ...filters, outcome: "refused", from, to })).toEqual([entry.id]);
    expect(await ids({ ...filters, outcome: "done" })).toEqual([]);
    expect(await ids({ namespace, from: to })).toEqual([]);
    expect(await ids({ username: "nobody-has-this-name" })).toEqual([]);
  });
});

test("the builds service records hooks, cron jobs and requests that make builds, but no user's other request", async () => {
  await using peer = connect(`127.0.0.1:${ci.port}`, openedIdentity("builds"));
  const builds = peer.client(AuditServiceDefinition);
  const [hook, user] = [anEntry({ actor: "hook", status: 201 }), anEntry({ status: 201 })];
  const [submitted, restarted, run] = ["submitBuild", "restartBuild", "runCron"].map((action) =>
    anEntry({ action, status: 201 }),
  );
  await builds.recordEntries({ entries: [hook, submitted!, submitted!] });
  await builds.recordEntries({ entries: [hook, submitted!, restarted!, run!] });
  await expect(builds.recordEntries({ entries: [hook, user] })).rejects.toMatchObject({ code: "forbidden" });
  for (const one of [hook, submitted!, restarted!, run!]) expect(await listed(one)).toHaveLength(1);
  expect(await listed(user)).toEqual([]);
});

test("all entries older than the retention are pruned in one pass, and no others", async () => {
  const [old, recent] = [anEntry(), anEntry()];
  await record(old);
  ci.clock.offsetMs += ci.config.auditRetentionMs;
  await record(recent);
  const now = () => new Date(Date.now() + ci.clock.offsetMs + 1_000);
  const many = Array.from({ length: 102_000 }, (_, nth) => ({
    _id: `old${nth}`,
    at: new Date(0),
    namespace: "old@ann",
  }));
  await ci.db.collection("audit").insertMany(many as never);
  const store = auditStore(ci.db);
  expect(await store.prune(now())).toBe(1_000);
  expect(await pruneAudit({ audit: store, config: ci.config, now })).toBeGreaterThanOrEqual(101_001);
  expect(await listed(old)).toEqual([]);
  expect(await listed({ namespace: "old@ann" })).toEqual([]);
  expect(await listed(recent)).toHaveLength(1);
});
