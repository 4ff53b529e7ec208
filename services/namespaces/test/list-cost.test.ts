import { termsOf } from "@ci/kit/mongo/search";
import { runAs } from "@ci/kit/rpc/caller";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { examined } from "@ci/testkit/examined";
import { suite } from "@ci/testkit/suite";
import type { Document } from "mongodb";
import { bootResources } from "./_resources.js";
import { as } from "./_suite.js";

// A list's cost, in index keys and documents read, must not grow with the number of records.
const own = suite();
let service: Awaited<ReturnType<typeof bootResources>>;
let ann: User;
let namespaceId: number;
const stored = 2_000;
const firstId = 10_000;

interface Copied extends Document {
  _id: number;
}

/** Inserts copies of one document; a few have the word `needle` in their name. */
async function copies(collection: string, filter: Document, own: (name: string, n: number) => Document): Promise<void> {
  const template = await service.db.collection(collection).findOne(filter);
  const docs = Array.from({ length: stored }, (_, n) => {
    const name = `some${String(n).padStart(4, "0")}${n % 400 === 200 ? "needle" : ""}`;
    return { ...template, _id: firstId + n, outbox: [], ...own(name, n) };
  });
  await service.db.collection<Copied>(collection).insertMany(docs);
}

beforeAll(async () => {
  service = await bootResources(own);
  ann = await service.aUser("ann");
  const bob = await service.aUser("bob");
  namespaceId = (await service.aNamespace(ann, "team")).id;
  const child = await service.aNamespace(ann, "team/child");
  await service.addCollaborator(bob, ann, namespaceId);
  const invitee = await service.aUser("carl");
  await runAs(as(ann.id), async () => {
    await service.namespaces.sendInvite({ namespaceId, handle: invitee.username });
    await service.variables.createVariable({ namespace: "team", key: "FIRST", value: "one", mask: false });
  });
  const named = (name: string) => ({ name, terms: termsOf([name]) });
  await copies("variables", {}, (key) => ({ key, masked: true, terms: termsOf([key]) }));
  await copies("namespaces", { _id: child.id }, (name) => ({
    ...named(`team/${name}`),
    name,
    path: `team/${name}`,
  }));
  await copies("users", { _id: bob.id }, (username) => ({
    ...{ username, usernameKey: username, emailKey: username },
    terms: termsOf([username]),
  }));
  const token = { username: ann.username, name: "first", scope: "build:read" };
  await runAs(await service.anAdmin(), () => service.accounts.createToken(token));
  await copies("tokens", { userId: ann.id }, (name) => ({ ...named(name), hash: name }));
  await copies("memberships", { rootId: namespaceId, inviteeId: bob.id }, (_, n) => ({ inviteeId: firstId + n }));
  await service.db
    .collection<Copied>("memberships")
    .updateMany({ _id: { $gte: firstId + stored / 2 } }, { $unset: { joinedAt: true } });
});
afterAll(() => service.close());

const page = { number: 1 };
type List = (search: string) => Promise<unknown>;
const named: [what: string, collection: string, list: List][] = [
  ["variables of the caller", "variables", (search) => service.variables.listVariables({ search, page })],
  ["variables of a namespace", "variables", (search) => service.variables.listVariables({ namespaceId, search, page })],
  ["namespaces of the caller", "namespaces", (search) => service.namespaces.listNamespaces({ search, page })],
  [
    "children of a namespace",
    "namespaces",
    (search) => service.namespaces.listNamespaces({ parentId: namespaceId, search, page }),
  ],
  ["users", "users", (search) => service.accounts.listUsers({ search, page })],
  ["tokens of all users", "tokens", (search) => service.accounts.listAllTokens({ search, page })],
  ["tokens of one user", "tokens", (search) => service.accounts.listAllTokens({ username: "ann", search, page })],
];
const unnamed: [what: string, list: List][] = [
  ["collaborators", () => service.namespaces.listCollaborators({ namespaceId, page })],
  ["invites to a namespace", () => service.namespaces.listInvites({ namespaceId, page })],
];

/** Expects a call's query to read only what it returns, and one record more to detect another page. */
async function expectCheap(collection: string, call: () => Promise<unknown>, shown: number): Promise<void> {
  const queries = await examined(service.db, collection, () => runAs(as(ann.id), call));
  expect(queries).toHaveLength(1);
  for (const query of queries) {
    expect(query).toMatchObject({ sortedInMemory: false });
    expect(Math.max(query.keys, query.docs)).toBeLessThanOrEqual(shown + 2);
  }
}

describe("succeeds", () => {
  describe.each(named)("%s", (_, collection, list) => {
    it.each([
      ["without a search", "", 25],
      ["with a text that all contain", "SOME", 25],
      ["with a text that few contain", "needle", 5],
      ["with a text that none contains", "nowhere", 0],
    ])("%s reads only what it returns", (_, search, shown) => expectCheap(collection, () => list(search), shown));
  });

  it.each(unnamed)("%s reads only what it returns", (_, list) => expectCheap("memberships", () => list(""), 25));
});
