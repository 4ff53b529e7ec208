import { fault } from "../_suite.js";
import { bootHooks, type Hooked, manifest, secret } from "./_hooks.js";

const { suite, hooked, build, deliveriesOf, redeliver } = bootHooks();

const run = async ({ namespace, record }: Hooked, ref = "", user = suite.users.ann) => {
  const request = { namespaceId: namespace.id, id: record.id, ref };
  return (await suite.as(user, () => suite.repositories.runRepository(request))).delivery!;
};

/** Returns a repository whose branch `main` and tag `main` differ. */
async function withTag() {
  const hook = await hooked();
  const main = await hook.git.commit({ ".service-ci.yml": manifest }, "refs/heads/main", "On main");
  const tagged = await hook.git.commit({ ".service-ci.yml": manifest }, "refs/heads/old");
  await hook.git.git("symbolic-ref", "HEAD", "refs/heads/main");
  await hook.git.git("tag", "-a", "-m", "a tag", "main", tagged);
  return { ...hook, main, tagged };
}

describe("succeeds", () => {
  it("builds the newest commit of a branch as after a push", async () => {
    const hook = await withTag();
    const delivery = await run(hook, "main");
    const { main: sha } = hook;
    expect(delivery).toMatchObject({ event: "run", ref: "refs/heads/main", sha, status: "built", reasons: [] });
    expect(await deliveriesOf(hook)).toEqual([delivery]);
    expect(await build(delivery.builds[0]!)).toMatchObject({
      namespaceId: hook.namespace.id,
      tags: [{ name: "main" }],
      trigger: { type: "push", comment: "On main", data: { sha, username: "Grace" } },
    });
  });

  it("builds the default branch if the request names no ref, and a tag by its full ref", async () => {
    const hook = await withTag();
    expect(await run(hook)).toMatchObject({ ref: "refs/heads/main", sha: hook.main, status: "built" });
    expect(await run(hook, "refs/tags/main")).toMatchObject({ ref: "refs/tags/main", sha: hook.tagged });
    await hook.git.git("tag", "v1", hook.tagged);
    expect(await run(hook, "v1")).toMatchObject({ ref: "refs/tags/v1", sha: hook.tagged, status: "built" });
  });

  it("makes new builds each time, also when it is redelivered", async () => {
    const hook = await withTag();
    const [first, second] = [await run(hook), await run(hook)];
    const third = await redeliver(hook, second.id);
    expect(new Set([...first.builds, ...second.builds, third].map(({ number }) => number)).size).toBe(3);
  });

  it("is for every member, but the builds belong to the repository's user", async () => {
    const hook = await withTag();
    const { ann, bob } = suite.users;
    expect((await fault(run(hook, "main", bob))).code).toBe("not_found");
    const which = { namespaceId: hook.namespace.id, handle: bob.username };
    const { invite } = await suite.as(ann, () => suite.accounts.namespaces.sendInvite(which));
    await suite.as(bob, () => suite.accounts.namespaces.acceptInvite({ id: invite!.id }));
    expect((await run(hook, "main", bob)).builds).toMatchObject([{ userId: ann.id }]);
  });

  it("says why it makes no build", async () => {
    const hook = await hooked();
    await hook.git.commit({ readme: "x" });
    expect(await run(hook, "main")).toMatchObject({ status: "skipped", reasons: ["no manifest at this commit"] });
  });
});

describe("fails", () => {
  it.each([
    ["an unknown name", "absent"],
    ["a ref of a request", "refs/pull/1/head"],
    ["a name with a space", "ma in"],
    ["a name with a line break", "main\n0000"],
    ["a name that is too long", "x".repeat(1_025)],
  ])("if the ref is %s, and stores nothing", async (_, ref) => {
    const hook = await withTag();
    await hook.git.git("update-ref", "refs/pull/1/head", hook.main);
    expect((await fault(run(hook, ref))).fields).toEqual({
      ref: [expect.stringMatching(/^Ref no such branch or tag /)],
    });
    expect(await deliveriesOf(hook)).toEqual([]);
  });

  it("if the repository is empty or cannot be read", async () => {
    const hook = await hooked();
    expect((await fault(run(hook))).fields).toEqual({
      ref: ["Ref the repository has no default branch with a commit; name a branch or tag"],
    });
    const request = { namespaceId: hook.namespace.id, provider: "github", url: `${hook.git.url}/missing`, secret };
    const { repository } = await suite.as(suite.users.ann, () => suite.repositories.createRepository(request));
    expect((await fault(run({ ...hook, record: repository! }))).fields).toEqual({
      ref: ["Ref repository could not be read: 404; check the address and the access token"],
    });
  });
});
