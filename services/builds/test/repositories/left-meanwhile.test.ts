import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import { fault } from "../_suite.js";
import { bootHooks, type Hooked, manifest, secret } from "./_hooks.js";

// A git server answers as slowly as it likes. Meanwhile its repository's user may lose what they had.

let held: (Gate & { path: string }) | undefined;
const before = async ({ url }: { url?: string | undefined }) => {
  if (held && url?.startsWith(held.path)) await held.pass();
  return undefined;
};
const { suite, hooked, server, deliveriesOf } = bootHooks({}, { before });
let count = 0;

/** Makes bob a collaborator of a namespace of ann's. Returns how to remove him. */
async function addBob(namespaceId: number) {
  const { ann, bob } = suite.users;
  const which = { namespaceId, handle: bob.username };
  const { invite } = await suite.as(ann, () => suite.accounts.namespaces.sendInvite(which));
  await suite.as(bob, () => suite.accounts.namespaces.acceptInvite({ id: invite!.id }));
  return () => suite.as(ann, () => suite.accounts.namespaces.removeCollaborator(which));
}

/** Lets the git server answer only after `end`. */
async function whileReading<T>(url: string, call: () => Promise<T>, end: () => Promise<unknown>): Promise<T> {
  const reading = gate();
  held = { ...reading, path: new URL(url).pathname };
  const calling = call();
  await reading.reached;
  held = undefined;
  await end();
  reading.open();
  return calling;
}

const repositoryOf = ({ namespace, record }: Hooked) => ({ namespaceId: namespace.id, id: record.id });
const removeRepository = (hook: Hooked) =>
  suite.as(suite.users.ann, () => suite.repositories.deleteRepository(repositoryOf(hook)));
const takeOver = (hook: Hooked) =>
  suite.as(suite.users.ann, () =>
    suite.repositories.updateRepository({ ...repositoryOf(hook), secret: "ann's", removeAccessToken: false }),
  );
const buildsOf = async ({ namespace }: Hooked) =>
  (await suite.as(suite.users.ann, () => suite.builds.listBuilds({ namespaceId: namespace.id, tag: "", search: "" })))
    .builds;

/** Pushes a commit to a repository of bob's, who loses it while the commit is read. */
async function lostWhileReading(lose: (hook: Hooked, removeBob: () => Promise<unknown>) => Promise<unknown>) {
  const hook = await hooked();
  const removeBob = await addBob(hook.namespace.id);
  const change = { ...repositoryOf(hook), secret, removeAccessToken: false };
  await suite.as(suite.users.bob, () => suite.repositories.updateRepository(change));
  const sha = await hook.git.commit({ ".service-ci.yml": manifest });
  await whileReading(
    hook.git.url,
    () => hook.push({ sha }),
    () => lose(hook, removeBob),
  );
  return hook;
}

describe("a commit makes no build", () => {
  it("if its repository's user was removed while it was read", async () => {
    const hook = await lostWhileReading((_, removeBob) => removeBob());
    const reasons = ["the repository's user may no longer submit to the namespace"];
    await eventually(async () => expect((await deliveriesOf(hook))[0]).toMatchObject({ status: "failed", reasons }));
    expect(await buildsOf(hook)).toEqual([]);
  });

  it("if its repository was removed while it was read", async () => {
    const hook = await lostWhileReading(removeRepository);
    expect(await buildsOf(hook)).toEqual([]);
  });

  it("of an earlier user, if its repository was taken over while it was read", async () => {
    const hook = await lostWhileReading(takeOver);
    expect(await buildsOf(hook)).toEqual([]);
  });
});

it("a repository is not connected by a member who was removed while it was read", async () => {
  const { ann, bob } = suite.users;
  const { id: namespaceId } = await suite.accounts.aNamespace(ann, `connect${++count}`);
  const removeBob = await addBob(namespaceId);
  const { url } = await server().repository(`octo/connect${count}.git`);
  const request = { namespaceId, provider: "gitea", url, secret, build: true };
  const connecting = whileReading(
    url,
    () => suite.as(bob, () => suite.repositories.createRepository(request)),
    removeBob,
  );
  expect(await fault(connecting)).toMatchObject({ code: "not_found" });
  const list = { namespaceId, page: undefined };
  expect((await suite.as(ann, () => suite.repositories.listRepositories(list))).repositories).toEqual([]);
});

it("a branch is not run for a member who was removed while it was read", async () => {
  const hook = await hooked();
  await hook.git.commit({ ".service-ci.yml": manifest });
  const removeBob = await addBob(hook.namespace.id);
  const request = { ...repositoryOf(hook), ref: "main" };
  const run = () => suite.as(suite.users.bob, () => suite.repositories.runRepository(request));
  expect(await fault(whileReading(hook.git.url, run, removeBob))).toMatchObject({ code: "not_found" });
  expect(await deliveriesOf(hook)).toEqual([]);
});
