import { randomBytes } from "node:crypto";
import { runAs } from "@ci/kit/rpc/caller";
import { Claims, type User } from "@ci/proto/namespaces/v1/accounts";
import { accountQuotas, limitOf } from "@ci/testkit/quotas";
import { parseGroupNamespaces } from "../src/domain/group-namespaces.js";
import { as, namespacesSuite } from "./_suite.js";

const max = 4;
const ci = namespacesSuite({
  createUsers: true,
  groupNamespaces: parseGroupNamespaces(
    "devs=owner/team; ops=owner/team/deep; all=owner/open; full=owner/full; lost=owner/nowhere; lost=nobody/team",
  ),
  quotas: {
    ...accountQuotas,
    tokens: limitOf("Tokens", "user", 1),
    collaborators: limitOf("Collaborators", "namespace", max),
  },
});
let owner: User;
const roots: Record<string, number> = {};
beforeAll(async () => {
  owner = await ci.aUser("owner");
  for (const path of ["team", "open", "full"]) roots[path] = (await ci.aNamespace(owner, path)).id;
  await ci.aNamespace(owner, "team/deep");
});

const subjectOf = () => randomBytes(8).toString("hex");
/** Signs in as the person with this subject, as a member of these groups. */
const signIn = async (subject: string, ...groups: string[]) => {
  const value = Claims.fromPartial({ issuer: "https://login.example", subject, username: "person", groups });
  const by = { $case: "claims" as const, value };
  const { user, token } = await ci.accounts.createSession({ by, userAgent: "", address: "" });
  return { user: user!, token: token! };
};
const collaboratorsOf = async (namespaceId: number | undefined) =>
  (await runAs(as(owner.id), () => ci.namespaces.listCollaborators({ namespaceId }))).collaborators.map(
    ({ userId }) => userId,
  );
const changesOf = async ({ id }: User) =>
  (await ci.publishedEvents()).flatMap(({ body, actorId }) =>
    body?.$case === "collaborator" && body.value.userId === id ? [[body.value.action, body.value.rootId, actorId]] : [],
  );

test("a member of a group collaborates on its namespace from the sign-in on, until the group is gone", async () => {
  const person = subjectOf();
  const { user } = await signIn(person, "devs", "all", "unknown");
  expect(await collaboratorsOf(roots.team)).toContain(user.id);
  expect(await collaboratorsOf(roots.open)).toContain(user.id);
  await signIn(person, "devs", "all");
  await signIn(person, "all");
  expect(await collaboratorsOf(roots.team)).not.toContain(user.id);
  expect(await collaboratorsOf(roots.open)).toContain(user.id);
  await signIn(person, "devs");
  expect(await changesOf(user)).toEqual([
    ["created", roots.team, user.id],
    ["created", roots.open, user.id],
    ["deleted", roots.team, user.id],
    ["deleted", roots.open, user.id],
    ["created", roots.team, user.id],
  ]);
});

test("two groups of one tree make one membership, which lasts as long as either", async () => {
  const person = subjectOf();
  const { user } = await signIn(person, "devs", "ops");
  await signIn(person, "ops");
  expect(await collaboratorsOf(roots.team)).toContain(user.id);
  expect(await changesOf(user)).toEqual([["created", roots.team, user.id]]);
});

test("a collaborator whom a person invited stays without the group", async () => {
  const person = subjectOf();
  const { user } = await signIn(person);
  await ci.addCollaborator(user, owner, roots.team!);
  await signIn(person, "devs");
  await signIn(person);
  expect(await collaboratorsOf(roots.team)).toContain(user.id);
});

test("a group accepts an open invite, and then the person's invite counts", async () => {
  const person = subjectOf();
  const { user } = await signIn(person);
  const request = { namespaceId: roots.open, handle: user.username };
  await runAs(as(owner.id), () => ci.namespaces.sendInvite(request));
  await signIn(person, "all");
  expect(await collaboratorsOf(roots.open)).toContain(user.id);
  expect((await runAs(as(user.id), () => ci.namespaces.listInvites({}))).invites).toEqual([]);
  await signIn(person);
  expect(await collaboratorsOf(roots.open)).toContain(user.id);
});

test("the owner of a namespace does not become its collaborator, and signs in with as many tokens as they may have", async () => {
  const subject = subjectOf();
  const { token } = await signIn(subjectOf());
  const request = { username: "owner", name: "full", scope: token.scope };
  const { secret } = await runAs(await ci.anAdmin(), () => ci.accounts.createToken(request));
  const by = { $case: "token" as const, value: secret };
  const { session } = await ci.accounts.createSession({ by, userAgent: "", address: "" });
  const claims = Claims.fromPartial({ issuer: "https://login.example", subject });
  await ci.accounts.connectIdentity({ claims, sessionId: session!.id });
  expect((await signIn(subject, "devs")).user.id).toBe(owner.id);
  expect(await collaboratorsOf(roots.team)).not.toContain(owner.id);
});

test("a group of a namespace that does not exist gives nothing, and the sign-in succeeds", async () => {
  const { user } = await signIn(subjectOf(), "lost", "all");
  expect(await changesOf(user)).toEqual([["created", roots.open, user.id]]);
});

test("a sign-in succeeds when the namespace has as many collaborators as it may", async () => {
  for (let n = 0; n <= max; n++) await signIn(subjectOf(), "full");
  expect(await collaboratorsOf(roots.full)).toHaveLength(max);
});

test("disconnecting an identity ends what its groups gave", async () => {
  const { user, token } = await signIn(subjectOf(), "all");
  const { identities } = await runAs(as(user.id), () => ci.accounts.listIdentities({}));
  await runAs(as(user.id, token), () => ci.accounts.deleteIdentity({ id: identities[0]!.id }));
  expect(await collaboratorsOf(roots.open)).not.toContain(user.id);
});
