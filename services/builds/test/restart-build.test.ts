import type { Build } from "@ci/proto/builds/v1/builds";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { cronsOf } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const { invite } = cronsOf(suite);
const { users } = suite;

const refOf = ({ userId, number }: Build) => ({ userId, number });
const restart = async (user: User, old: Build) =>
  (await suite.as(user, () => suite.builds.restartBuild({ ref: refOf(old), restartOf: "http://old" }))).build!;

/** Submits a build of Ann to a new namespace that Bob is a member of, and kills it. */
async function finishedIn(path: string) {
  const build = await suite.submit(users.ann, `namespace: ${path}\n${manifest}`);
  await suite.as(users.ann, () => suite.builds.killBuild({ ref: refOf(build) }));
  const { namespaces } = await suite.as(users.ann, () => suite.accounts.namespaces.listNamespaces({ search: path }));
  const namespace = namespaces[0]!;
  await invite(users.ann, namespace, users.bob);
  return { build, namespace };
}

const ownPathsOf = async (user: User) => {
  const { namespaces } = await suite.as(user, () => suite.accounts.namespaces.listNamespaces({ search: "" }));
  return namespaces.filter(({ userId }) => userId === user.id).map(({ path }) => path);
};

it("a collaborator's restart stays in the namespace", async () => {
  const { build, namespace } = await finishedIn("team");
  const again = await restart(users.bob, build);
  expect(again).toMatchObject({ userId: users.bob.id, namespaceId: namespace.id });
  expect(await ownPathsOf(users.bob)).toEqual([]);
});

it("after its namespace was deleted, only its user restarts a build, outside of namespaces", async () => {
  const { build, namespace } = await finishedIn("gone");
  await suite.as(users.ann, () => suite.accounts.namespaces.deleteNamespace({ id: namespace.id }));
  expect(await fault(restart(users.bob, build))).toMatchObject({ code: "not_found" });
  await eventually(async () => {
    const again = await restart(users.ann, build);
    expect(again).toMatchObject({ userId: users.ann.id, namespaceId: undefined });
  });
  expect(await ownPathsOf(users.ann)).not.toContain("gone");
  expect(await ownPathsOf(users.bob)).toEqual([]);
});
