import { runAs } from "@ci/kit/rpc/caller";
import type { Deletion } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { as, namespacesSuite } from "./_suite.js";

const ci = namespacesSuite();
type Stored = { _id: string; at: Date; sweepAt: Date };
const store = (docs: readonly [string, number][]) =>
  ci.db
    .collection<Stored>("deletions")
    .insertMany(docs.map(([_id, ms]) => ({ _id, at: new Date(ms), sweepAt: new Date("2999-01-01") })));
const names = (deletions: readonly Deletion[]) => deletions.map(({ kind, id }) => `${kind}:${id}`);

test("lists deleted users and namespaces, also those below a deleted one, once their events are on NATS", async () => {
  const ann = await ci.aUser();
  const [root, child] = [await ci.aNamespace(ann, "team"), await ci.aNamespace(ann, "team/web")];
  await runAs(as(ann.id), () => ci.namespaces.deleteNamespace({ id: root.id }));
  await runAs(await ci.anAdmin(), () => ci.accounts.deleteUser({ username: ann.username }));
  await eventually(async () => {
    const { deletions, hasNext } = await ci.accounts.listDeletions({ since: new Date("2000-01-01") });
    expect(names(deletions)).toEqual([`namespace:${root.id}`, `namespace:${child.id}`, `user:${ann.id}`]);
    expect(deletions.filter(({ unpublished }) => unpublished)).toEqual([]);
    expect(hasNext).toBe(false);
  });
});

test("says which events still wait for NATS", async () => {
  const waiting = { endedAt: new Date(), outbox: [{ id: "never published" }] };
  await ci.db.collection("users").insertOne({ _id: 800_001 as never, usernameKey: "u", emailKey: "e", ...waiting });
  await ci.db.collection("namespaces").insertOne({ _id: 800_002 as never, ...waiting });
  await store([
    ["user:800001", 1],
    ["user:800002", 1],
    ["namespace:800001", 2],
    ["namespace:800002", 2],
  ]);
  const { deletions } = await ci.accounts.listDeletions({ limit: 4 });
  expect(deletions.map(({ unpublished }) => unpublished)).toEqual([true, false, false, true]);
});

test("pages contain each deletion once, also when many have the same time", async () => {
  const stored = Array.from({ length: 2_500 }, (_, n): [string, number] => [`user:${900_000 + n}`, 1_000 + (n >> 10)]);
  await store(stored);
  const found: Deletion[] = [];
  for (let hasNext = true; hasNext; ) {
    const page = await ci.accounts.listDeletions({ since: new Date(1_000), after: found.at(-1) });
    expect(page.deletions.length).toBeLessThanOrEqual(1_000);
    found.push(...page.deletions);
    hasNext = page.hasNext;
  }
  const old = names(found).filter((name) => name.startsWith("user:9"));
  expect(old).toEqual(stored.map(([name]) => name));
});
