import type { UpdateRepositoryRequest } from "@ci/proto/builds/v1/repositories";
import { fromGithub, github } from "../_hook-payloads.js";
import { fault } from "../_suite.js";
import { bootHooks, type Hooked, manifest, secret } from "./_hooks.js";

const { suite, hooked } = bootHooks();
const update = async (
  { namespace, record }: Hooked,
  change: Partial<UpdateRepositoryRequest>,
  user = suite.users.ann,
) => {
  const request = { namespaceId: namespace.id, id: record.id, removeAccessToken: false, ...change };
  return (await suite.as(user, () => suite.repositories.updateRepository(request))).repository!;
};

describe("succeeds", () => {
  it("changes settings, and leaves out what the request leaves out", async () => {
    const hook = await hooked();
    expect(hook.record).toMatchObject({ forks: "approve", cancelSuperseded: false });
    expect(await update(hook, { forks: "ignore" })).toEqual({ ...hook.record, forks: "ignore" });
    const changed = { ...hook.record, forks: "ignore", cancelSuperseded: true };
    expect(await update(hook, { cancelSuperseded: true })).toEqual(changed);
    expect(await update(hook, { forks: "", secret: "", accessToken: "" })).toEqual(changed);
    const request = { namespaceId: hook.namespace.id, id: hook.record.id };
    expect(await suite.as(suite.users.ann, () => suite.repositories.getRepository(request))).toEqual({
      repository: changed,
    });
  });

  it("replaces the secret", async () => {
    const hook = await hooked();
    await update(hook, { secret: "another" });
    expect(await fault(hook.send(fromGithub("push", github.branchDeleted(), secret, "1")))).toMatchObject({
      code: "not_found",
    });
    expect(await hook.send(fromGithub("push", github.branchDeleted(), "another", "2"))).toEqual([]);
  });

  it("gives the builds to the member who sets the secret, without the access token of somebody else", async () => {
    const hook = await hooked("github", "t0ken");
    const { ann, bob } = suite.users;
    const { invite } = await suite.as(ann, () =>
      suite.accounts.namespaces.sendInvite({ namespaceId: hook.namespace.id, handle: bob.username }),
    );
    await suite.as(bob, () => suite.accounts.namespaces.acceptInvite({ id: invite!.id }));
    const asBob = (change: Partial<UpdateRepositoryRequest>) => update(hook, change, bob);
    expect(await asBob({ forks: "run" })).toMatchObject({ userId: ann.id, hasAccessToken: true });
    expect(await asBob({ secret: "bob's" })).toMatchObject({ userId: bob.id, hasAccessToken: false });
    const sha = await hook.git.commit({ ".service-ci.yml": manifest });
    const [ref] = await hook.send(fromGithub("push", github.push({ sha }), "bob's", "1"));
    expect(ref).toMatchObject({ userId: bob.id });
    expect(await update(hook, { secret, accessToken: "ann's" })).toMatchObject({
      userId: ann.id,
      hasAccessToken: true,
    });
    expect(await update(hook, { secret: "other" })).toMatchObject({ userId: ann.id, hasAccessToken: true });
  });

  it("stores and removes the access token", async () => {
    const hook = await hooked();
    expect(await update(hook, { accessToken: "t0ken" })).toMatchObject({ hasAccessToken: true });
    expect(await update(hook, { removeAccessToken: true })).toMatchObject({ hasAccessToken: false });
  });
});

it("a change with mistakes has a complaint about each, and changes nothing", async () => {
  const hook = await hooked();
  const wrong = { forks: "eat", secret: "x".repeat(256), accessToken: "a b", cancelSuperseded: true };
  expect(await fault(update(hook, wrong))).toMatchObject({
    code: "invalid",
    fields: {
      forks: ["Forks invalid forks eat; it must be approve, run or ignore"],
      secret: ["Secret cannot be longer than 255 characters in length"],
      access_token: ["Access_token invalid access token; it must be printable ASCII without spaces"],
    },
  });
  expect(await update(hook, {})).toEqual(hook.record);
});

it("a user who is no member, and an unknown repository, get not_found", async () => {
  const hook = await hooked();
  const request = { namespaceId: hook.namespace.id, id: hook.record.id, removeAccessToken: false };
  for (const attempt of [
    () => suite.as(suite.users.eve, () => suite.repositories.updateRepository(request)),
    () => update(hook, { id: hook.record.id + 1_000 }),
  ])
    expect(await fault(attempt())).toMatchObject({ code: "not_found" });
});
