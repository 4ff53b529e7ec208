import { eventually } from "@ci/testkit/eventually";
import type { Answer, Received } from "@ci/testkit/receiver";
import { bootHooks, type Hooked, providerNames, secret } from "./_hooks.js";
import { providerHooks } from "./_provider-hooks.js";

const token = "t0ken";
const provider = providerHooks(token);
let intercept: (request: Received) => Answer | undefined = () => undefined;
const { suite, hooked, server } = bootHooks(
  { hookPausesMs: [20, 20] },
  { answer: (request) => intercept(request) ?? provider.answer(request) },
);
beforeEach(() => {
  intercept = () => undefined;
});

const pathOf = ({ record }: Hooked) => new URL(record.url).pathname.slice(1).replace(/\.git$/, "");
const urlOf = ({ record }: Hooked) => `http://ci.test/api/hooks/${record.provider}/${record.id}`;
const hooksOf = (hook: Hooked) => provider.of(pathOf(hook));
const remove = ({ namespace, record }: Hooked) =>
  suite.as(suite.users.ann, () => suite.repositories.deleteRepository({ namespaceId: namespace.id, id: record.id }));
const show = async ({ namespace, record }: Hooked) => {
  const request = { namespaceId: namespace.id, id: record.id };
  return (await suite.as(suite.users.ann, () => suite.repositories.getRepository(request))).repository!;
};
const update = async ({ namespace, record }: Hooked, change: { secret?: string; accessToken?: string }) => {
  const request = { namespaceId: namespace.id, id: record.id, removeAccessToken: false, ...change };
  return (await suite.as(suite.users.ann, () => suite.repositories.updateRepository(request))).repository!;
};
const expected = (url: string, sent: string) => ({
  github: {
    name: "web",
    active: true,
    events: ["push", "pull_request"],
    config: { url, secret: sent, content_type: "json", insecure_ssl: "0" },
  },
  gitlab: {
    ...{ url, token: sent, enable_ssl_verification: true },
    ...{ push_events: true, tag_push_events: true, merge_requests_events: true },
  },
  gitea: {
    type: "gitea",
    active: true,
    events: ["push", "pull_request"],
    config: { url, secret: sent, content_type: "json" },
  },
});

describe("with an access token that may", () => {
  it.each(providerNames)("a new repository of %s is registered, changed and taken away", async (name) => {
    const hook = await hooked(name, token);
    expect(hook.record).toMatchObject({ hook: "registered", hookReason: undefined });
    expect(hooksOf(hook)).toEqual([expected(urlOf(hook), secret)[name]]);
    expect(await update(hook, { secret: "another" })).toMatchObject({ hook: "registered" });
    expect(hooksOf(hook)).toEqual([expected(urlOf(hook), "another")[name]]);
    await remove(hook);
    await eventually(() => expect(hooksOf(hook)).toEqual([]));
  });

  it.each(providerNames)("a process of %s that died after the provider's answer finds its hook there", async (name) => {
    const hook = await hooked(name, token);
    await suite.forget(hook.record.id, ["hook"]);
    await suite.changeRepository(hook.record.id, { $set: { hook: "pending" } });
    await eventually(async () => expect(await show(hook)).toMatchObject({ hook: "registered" }), { withinMs: 60_000 });
    expect(hooksOf(hook)).toHaveLength(1);
  });

  it("a hook that GitHub refuses because of its secondary rate limit is registered later", async () => {
    const body = JSON.stringify({ message: "You have exceeded a secondary rate limit." });
    let refusals = 0;
    intercept = () => (refusals++ < 1 ? { status: 403, body } : undefined);
    const hook = await hooked("github", token);
    expect(hook.record.hookReason).toBe(
      "the provider did not register the hook: 429, too many requests; the service will try again",
    );
    await eventually(async () => expect(await show(hook)).toMatchObject({ hook: "registered" }), { withinMs: 60_000 });
    expect(await show(hook)).toMatchObject({ hookReason: undefined });
    expect(hooksOf(hook)).toHaveLength(1);
  });

  it("hooks of others stay, and a removal is repeated until the provider accepts it", async () => {
    const hook = await hooked("github", token);
    const other = { config: { url: "https://other.example/hook" } };
    provider.answer({
      ...{ method: "POST", path: `/api/v3/repos/${pathOf(hook)}/hooks`, at: new Date() },
      ...{ headers: { authorization: `Bearer ${token}` }, body: Buffer.from(JSON.stringify(other)) },
    });
    let refusals = 0;
    intercept = ({ method }) => (method === "DELETE" && refusals++ < 2 ? { status: 502 } : undefined);
    await remove(hook);
    await eventually(() => expect(hooksOf(hook)).toEqual([other]), { withinMs: 60_000 });
  });
});

describe("the hook is added by hand", () => {
  it("without an access token, and a token that comes later registers it", async () => {
    const hook = await hooked("gitea");
    expect(hook.record).toMatchObject({ hook: "by_hand", hookReason: "no access token" });
    expect(await update(hook, { accessToken: token })).toMatchObject({ hook: "registered", hookReason: undefined });
    expect(hooksOf(hook)).toHaveLength(1);
  });

  it.each([
    ["401, the access token is not valid", () => ({ status: 401 })],
    ["403, the access token may not manage hooks", () => ({ status: 403 })],
    ["502", () => ({ status: 502 })],
    ["422", ({ method }: Received) => (method === "POST" ? { status: 422 } : undefined)],
  ])("if the provider answers %s", async (status, refusal) => {
    intercept = refusal;
    const hook = await hooked("github", token);
    expect(hook.record).toMatchObject({
      hook: "by_hand",
      hookReason: `the provider did not register the hook: ${status}`,
    });
    expect(hooksOf(hook)).toEqual([]);
  });

  it("if the token may not see the repository, and nothing of the provider's answer is repeated", async () => {
    const hook = await hooked("gitlab", "wrong");
    expect(hook.record.hookReason).toMatch(
      /^the provider did not register the hook: 404, the repository does not exist or the access token may not /,
    );
    expect(server().apiRequests.at(-1)!.path).toContain(encodeURIComponent(pathOf(hook)));
  });

  it("for a repository of an older version", async () => {
    const hook = await hooked("gitea");
    await suite.forget(hook.record.id, ["hook", "hookReason"]);
    expect(await show(hook)).toMatchObject({ hook: "by_hand", hookReason: undefined });
  });
});

it("a removal whose repository is still there, because the process died before it went, does nothing", async () => {
  const hook = await hooked("gitlab", token);
  const { sealedToken, provider: name, url } = await suite.storedRepository(hook.record.id);
  await suite.planRemoval({ _id: hook.record.id, provider: name, url, sealedToken: sealedToken!, failures: 0 });
  await eventually(async () => expect(await suite.plannedRemovals()).toBe(0), { withinMs: 60_000 });
  expect(hooksOf(hook)).toHaveLength(1);
});
