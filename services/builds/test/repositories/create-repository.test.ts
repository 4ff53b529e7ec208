import { randomUUID } from "node:crypto";
import { type DnsServer, dnsServer } from "@ci/testkit/dns-server";
import { eventually } from "@ci/testkit/eventually";
import { MongoClient } from "mongodb";
import { zeros } from "../_hook-payloads.js";
import { fault } from "../_suite.js";
import { bootHooks, deliveries, manifest, secret } from "./_hooks.js";

let names: DnsServer;
beforeAll(async () => {
  names = await dnsServer({ "git.localhost": [["127.0.0.1"]], "both.localhost": [["127.0.0.1", "127.0.0.2"]] });
});
const { suite, hooked } = bootHooks({
  get resolver() {
    return names.resolver;
  },
});
afterAll(() => names[Symbol.asyncDispose]());
const fields = { provider: "github", url: "https://github.com/octo/hello.git", secret: "hush", accessToken: "t0ken" };
const create = (namespaceId: number, changes: Partial<typeof fields> = {}, user = suite.users.ann) =>
  suite.as(user, () => suite.repositories.createRepository({ namespaceId, ...fields, ...changes }));
const list = (namespaceId: number, user = suite.users.ann) =>
  suite.as(user, () => suite.repositories.listRepositories({ namespaceId, page: undefined }));

/** Makes bob a collaborator of ann's namespace. */
async function addBob(namespaceId: number) {
  const { invite } = await suite.as(suite.users.ann, () =>
    suite.accounts.namespaces.sendInvite({ namespaceId, handle: suite.users.bob.username }),
  );
  await suite.as(suite.users.bob, () => suite.accounts.namespaces.acceptInvite({ id: invite!.id }));
}
const removeBob = (namespaceId: number) =>
  suite.as(suite.users.ann, () =>
    suite.accounts.namespaces.removeCollaborator({ namespaceId, handle: suite.users.bob.username }),
  );

describe("succeeds", () => {
  it("returns the record without its secrets, and stores them encrypted", async () => {
    const { id: namespaceId } = await suite.accounts.aNamespace(suite.users.ann, "one");
    const { repository } = await create(namespaceId);
    const record = {
      id: expect.any(Number),
      namespaceId,
      userId: suite.users.ann.id,
      provider: "github",
      url: fields.url,
      hasAccessToken: true,
      createdAt: expect.any(Date),
      forks: "approve",
      hook: "by_hand",
      hookReason: expect.stringMatching(/^the provider did not register the hook: /),
      cancelSuperseded: false,
    };
    expect(repository).toEqual(record);
    const bare = (await create(namespaceId, { accessToken: "" })).repository!;
    expect(bare.hasAccessToken).toBe(false);
    expect((await list(namespaceId)).repositories).toEqual([repository, bare]);
    const client = await MongoClient.connect(suite.names.mongoUrl);
    const stored = await client
      .db(`${suite.names.mongoDb}_builds`)
      .collection("repositories")
      .find({ namespaceId })
      .toArray();
    await client.close();
    expect(stored).toHaveLength(2);
    expect(JSON.stringify(stored)).not.toMatch(/hush|t0ken/);
  });
});

it("accepts a localhost name if the allow-list has all of its addresses", async () => {
  const { id } = await suite.accounts.aNamespace(suite.users.ann, "local");
  const url = "http://git.localhost:8080/octo/hello.git";
  expect((await create(id, { url })).repository).toMatchObject({ url });
  const thrown = await fault(create(id, { url: "http://both.localhost:8080/octo/hello.git" }));
  expect(thrown.fields).toEqual({ url: ["Url address not allowed; the operator can allow it in CI_GUARD_ALLOW"] });
});

describe("invalid", () => {
  it("one answer lists all mistakes", async () => {
    const { id } = await suite.accounts.aNamespace(suite.users.ann, "two");
    const thrown = await fault(create(id, { provider: "svn", url: "http://10.0.0.1/x", secret: "" }));
    expect(thrown.fields).toEqual({
      provider: ["Provider invalid provider svn; it must be github, gitlab or gitea"],
      url: ["Url address not allowed; the operator can allow it in CI_GUARD_ALLOW"],
      secret: ["Secret field required"],
    });
    expect((await list(id)).repositories).toEqual([]);
  });
});

describe("not_found", () => {
  it("a user who is not a member gets not_found, as does a repository of another namespace", async () => {
    const { id } = await suite.accounts.aNamespace(suite.users.ann, "three");
    const { id: elsewhere } = await suite.accounts.aNamespace(suite.users.ann, "four");
    const { repository } = await create(id);
    const remove = (namespaceId: number, user = suite.users.ann) =>
      suite.as(user, () => suite.repositories.deleteRepository({ namespaceId, id: repository!.id }));
    for (const call of [
      create(id, { url: "" }, suite.users.eve),
      list(id, suite.users.eve),
      remove(id, suite.users.eve),
      remove(elsewhere),
    ])
      expect(await fault(call)).toMatchObject({ code: "not_found" });
    await remove(id);
    expect(await fault(remove(id))).toMatchObject({ code: "not_found" });
    expect((await list(id)).repositories).toEqual([]);
  });
});

describe("a member", () => {
  it("who is deleted leaves no repository", async () => {
    const { id } = await suite.accounts.aNamespace(suite.users.eve, "hers");
    const { headers, body } = deliveries.push.github({ sha: zeros }, "x");
    const { repository } = await create(id, { secret }, suite.users.eve);
    const request = { provider: "github", id: repository!.id, headers, body };
    expect(await suite.repositories.receiveHook(request)).toEqual({ builds: [] });
    await suite.as(suite.users.ann, () => suite.accounts.accounts.deleteUser({ username: suite.users.eve.username }));
    await eventually(async () =>
      expect(await fault(suite.repositories.receiveHook(request))).toMatchObject({ code: "not_found" }),
    );
  });

  it("owns the builds of the repositories they added, as long as they are a member", async () => {
    const { id } = await suite.accounts.aNamespace(suite.users.ann, "ns1");
    await addBob(id);
    const { git, push, record } = await hooked("github", undefined, suite.users.bob);
    expect(record).toMatchObject({ namespaceId: id, userId: suite.users.bob.id });
    const sha = await git.commit({ ".service-ci.yml": manifest });
    expect(await push({ sha })).toEqual([{ userId: suite.users.bob.id, number: 1 }]);
    await removeBob(id);
    // Permissions are cached briefly. A body that has been received before makes no build.
    await eventually(async () => expect(await push({ sha, message: randomUUID() })).toEqual([]));
  });
});
