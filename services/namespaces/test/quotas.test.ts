import { type Caller, runAs } from "@ci/kit/rpc/caller";
import { Fault } from "@ci/kit/rpc/fault";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { accountQuotas, limitOf } from "@ci/testkit/quotas";
import { suite } from "@ci/testkit/suite";
import { uploadMessages } from "@ci/testkit/uploads";
import { bootResources, privateKey, refusal } from "./_resources.js";

const max = 3;
const names = suite();
type Replica = Awaited<ReturnType<typeof bootResources>>;
let replicas: [Replica, Replica];
let ci: Replica;
let ada: User;
let owner: Caller;

const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);

beforeAll(async () => {
  const quotas = {
    ...accountQuotas,
    namespaces: limitOf("Namespaces", "user", max),
    tokens: limitOf("Tokens", "user", max),
    collaborators: limitOf("Collaborators", "namespace", max),
    objects: limitOf("Objects", "namespace", max),
    variables: limitOf("Variables", "namespace", max),
    keys: limitOf("Keys", "namespace", max),
  };
  replicas = [await bootResources(names, { quotas }), await bootResources(names, { quotas })];
  [ci] = replicas;
});
beforeEach(async () => {
  ada = await ci.aUser();
  owner = { ...(await ci.anAdmin()), userId: ada.id, tokenId: undefined };
});
afterAll(async () => {
  for (const replica of replicas ?? []) await replica.close();
});

interface Kind {
  readonly create: (on: Replica, nth: number) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
  readonly complaint: Record<string, string[]>;
}

const firstOf = <T extends { id: number }>(all: readonly T[]): number => all[0]!.id;
const page = undefined;
const search = "";

const kinds: Record<string, Kind> = {
  namespaces: {
    create: (on, nth) => on.namespaces.createNamespace({ name: `n${nth}`, parent: "" }),
    async remove() {
      const { namespaces } = await ci.namespaces.listNamespaces({ search, page });
      await ci.namespaces.deleteNamespace({ id: firstOf(namespaces) });
    },
    complaint: { namespaces: ["Namespaces cannot exceed 3 per user; delete one first"] },
  },
  tokens: {
    create: (on, nth) => on.accounts.createToken({ name: `t${nth}`, scope: "build:read" }),
    async remove() {
      const { tokens } = await ci.accounts.listTokens({ page });
      await ci.accounts.deleteToken({ id: firstOf(tokens) });
    },
    complaint: { tokens: ["Tokens cannot exceed 3 per user; delete one first"] },
  },
  objects: {
    create: (on, nth) => on.objects.uploadObject(uploadMessages(`o${nth}`, Buffer.from("x"))),
    async remove() {
      const { objects } = await ci.objects.listObjects({ search, page });
      await ci.objects.deleteObject({ id: firstOf(objects) });
    },
    complaint: { objects: ["Objects cannot exceed 3 per namespace; delete one first"] },
  },
  variables: {
    create: (on, nth) => on.variables.createVariable({ key: `K${nth}`, value: "v" }),
    async remove() {
      const { variables } = await ci.variables.listVariables({ search, page });
      await ci.variables.deleteVariable({ id: firstOf(variables) });
    },
    complaint: { variables: ["Variables cannot exceed 3 per namespace; delete one first"] },
  },
  keys: {
    create: (on, nth) => on.keys.createKey({ name: `k${nth}`, privateKey }),
    async remove() {
      const { keys } = await ci.keys.listKeys({ search, page });
      await ci.keys.deleteKey({ id: firstOf(keys) });
    },
    complaint: { keys: ["Keys cannot exceed 3 per namespace; delete one first"] },
  },
};

describe.each(Object.entries(kinds))("%s", (_name, { create, remove, complaint }) => {
  test("concurrent requests to two replicas create as many as the quota allows", async () => {
    const creating = upTo(4 * max).map((nth) => runAs(owner, () => create(replicas[nth % 2]!, nth)));
    const results = await Promise.allSettled(creating);
    const refused = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refused).toHaveLength(3 * max);
    for (const fault of refused) expect(fault instanceof Fault && fault.fields).toEqual(complaint);
  });

  test("a deletion makes room for one more", async () => {
    await runAs(owner, async () => {
      for (const nth of upTo(max)) await create(ci, nth);
      expect(await refusal(create(ci, 4))).toEqual(complaint);
      await remove();
      await create(ci, 4);
      expect(await refusal(create(ci, 5))).toEqual(complaint);
    });
  });
});

test("quotas of namespaces hold for each namespace, and for a user's records without one", async () => {
  const aVariable = (namespace: string, nth: number) =>
    ci.variables.createVariable({ namespace, key: `K${nth}`, value: "v" });
  await runAs(owner, async () => {
    for (const namespace of ["", "a", "b"]) {
      for (const nth of upTo(max)) await aVariable(namespace, nth);
      expect(await refusal(aVariable(namespace, 4))).toEqual(kinds.variables!.complaint);
    }
  });
});

test("a stranger gets one answer, whatever exists and however many namespaces the owner may still have", async () => {
  const stranger = await ci.aUser();
  await runAs(owner, async () => {
    for (const nth of upTo(max - 1)) await ci.namespaces.createNamespace({ name: `n${nth}`, parent: "" });
  });
  for (const path of ["n1", "n1/x", "n1/x/y", "none", "none/x", "none/x/y"]) {
    const request = { name: `${path}@${ada.username}`, userId: stranger.id, create: true };
    const entering = runAs({ ...owner, userId: stranger.id }, () => ci.namespaces.enterNamespace(request));
    expect(await refusal(entering)).toEqual({ namespace: ["Namespace permission denied"] });
  }
});

test("namespaces made on the fly count, and nothing is created when they are too many", async () => {
  const aVariable = (namespace: string) => ci.variables.createVariable({ namespace, key: "K", value: "v" });
  await runAs(owner, async () => {
    await aVariable("a/b");
    const complaint = {
      namespace: ["Namespace cannot be created, namespaces cannot exceed 3 per user; delete one first"],
    };
    expect(await refusal(aVariable("c/d"))).toEqual(complaint);
    expect((await ci.namespaces.listNamespaces({ search, page })).namespaces).toHaveLength(2);
    await aVariable("a/c");
    expect(await refusal(aVariable("d"))).toEqual(complaint);
    await ci.variables.createVariable({ namespace: "a/c", key: "K2", value: "v" });
  });
});

test("concurrent records in one new namespace create it once, within the quota", async () => {
  await runAs(owner, async () => {
    for (const nth of upTo(max - 1)) await ci.namespaces.createNamespace({ name: `n${nth}`, parent: "" });
    const aKey = (nth: number) => replicas[nth % 2]!.keys.createKey({ namespace: "last", name: `k${nth}`, privateKey });
    await Promise.all(upTo(max).map(aKey));
  });
});

test("open invites and collaborators of a tree count together", async () => {
  const { id: namespaceId } = await ci.aNamespace(ada, "shared");
  await ci.addCollaborator(await ci.aUser(), ada, namespaceId);
  await ci.aNamespace(ada, "shared/below");
  const users = await Promise.all(upTo(4 * max).map(() => ci.aUser()));
  const invite = ({ username: handle }: User, nth: number) =>
    runAs(owner, () => replicas[nth % 2]!.namespaces.sendInvite({ namespaceId, handle }));
  const results = await Promise.allSettled(users.map(invite));
  const sent = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.invite!] : []));
  expect(sent).toHaveLength(max - 1);
  expect(await refusal(invite(await ci.aUser(), 1))).toEqual({
    collaborators: ["Collaborators cannot exceed 3 per namespace; delete one first"],
  });
  await runAs(owner, () => ci.namespaces.deleteInvite({ id: sent[0]!.id }));
  await invite(await ci.aUser(), 1);
});
