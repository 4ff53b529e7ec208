import { eventually } from "@ci/testkit/eventually";
import type { Answer } from "@ci/testkit/receiver";
import type { HookDelivery } from "../../src/store/hooks/hook-deliveries.js";
import { bootHooks, type Hooked, manifest, providerNames } from "./_hooks.js";

let intercept: (path: string) => Answer | undefined = () => undefined;
const { suite, hooked, build, deliveriesOf, redeliver, server } = bootHooks(
  {},
  { before: ({ url }) => intercept(url!) },
);
beforeEach(() => {
  intercept = () => undefined;
});

type Ref = { userId: number; number: number } | undefined;
const statusOf = async (ref: Ref) => (await build(ref!)).status;
const cancelling = () => hooked("github", undefined, suite.users.ann, { cancelSuperseded: true });
const main = "refs/heads/main";
let count = 0;
const commit = ({ git }: Hooked, ref = main) => git.commit({ ".service-ci.yml": manifest, text: `${count++}` }, ref);
const commits = async (hook: Hooked, ref = main) => [
  ...[await commit(hook, ref), await commit(hook, ref), await commit(hook, ref)],
];
const requestsFor = ({ git }: Hooked) => {
  const path = new URL(git.url).pathname;
  return server().gitRequests.filter((request) => request.includes(path)).length;
};

/** Processes deliveries again, as after a crash before their results were stored. */
async function repeat({ record }: Hooked): Promise<void> {
  const stored = suite.database().collection<HookDelivery>("hookDeliveries");
  const again = { $unset: { sha: true }, $set: { dueAt: new Date(0) } } as const;
  await stored.updateMany({ repositoryId: record.id }, again);
  await (await hooked()).push({ sha: "1".repeat(40) });
  const repeated = { repositoryId: record.id, sha: { $exists: false } };
  await eventually(async () => expect(await stored.countDocuments(repeated)).toBe(0));
}

describe("a push that arrives late", () => {
  it("kills older builds, but not those of its branch's tip, also if its step and theirs are repeated", async () => {
    const hook = await cancelling();
    const [a, b, c] = await commits(hook);
    const [first] = await hook.push({ sha: a });
    const [tip] = await hook.push({ sha: c, from: b, ref: main });
    const other = await hook.push({ sha: a, ref: "refs/heads/main-2" });
    const [late] = await hook.push({ sha: b, from: a });
    const now = () => Promise.all([first, tip, late, ...other].map(statusOf));
    expect(await now()).toEqual(["killed", "queued", "queued", "queued"]);
    await repeat(hook);
    expect(await now()).toEqual(["killed", "queued", "queued", "queued"]);
    const again = await redeliver(hook, (await deliveriesOf(hook)).find(({ sha }) => sha === c)!.id);
    expect(await statusOf(again)).toBe("queued");
    await hook.push({ sha: await commit(hook) });
    expect(await now()).toEqual(["killed", "killed", "killed", "queued"]);
    expect(await statusOf(again)).toBe("killed");
  });

  it("does not kill the builds of the commit to which its branch was pushed back", async () => {
    const hook = await cancelling();
    const [a, b] = await commits(hook);
    await hook.git.git("update-ref", main, a!);
    const [back] = await hook.push({ sha: a, from: b });
    const [late] = await hook.push({ sha: b, from: a });
    expect([await statusOf(back), await statusOf(late)]).toEqual(["queued", "queued"]);
  });

  it("kills the others if its branch was deleted", async () => {
    const hook = await cancelling();
    const [a, b, c] = await commits(hook);
    const [older] = await hook.push({ sha: c, from: b });
    await hook.git.git("update-ref", "-d", main);
    const [late] = await hook.push({ sha: b, from: a });
    expect([await statusOf(older), await statusOf(late)]).toEqual(["killed", "queued"]);
  });
});

describe("an update of a fork's request that arrives late", () => {
  const refs = { github: "refs/pull/7/head", gitlab: "refs/merge-requests/7/head", gitea: "refs/pull/7/head" };
  const actions = { github: "synchronize", gitlab: "update", gitea: "synchronized" };

  it.each(providerNames)(
    "in %s does not kill the newest version's build, which waits for approval",
    async (provider) => {
      const hook = await hooked(provider);
      const [a, b, c] = await commits(hook, refs[provider]);
      const update = async (sha?: string) => (await hook.pull({ sha, fork: true, action: actions[provider] }))[0];
      const [first, tip, late] = [await update(a), await update(c), await update(b)];
      expect(await Promise.all([first, tip, late].map(statusOf))).toEqual(["killed", "queued", "queued"]);
      await update(await commit(hook, refs[provider]));
      expect(await Promise.all([tip, late].map(statusOf))).toEqual(["killed", "killed"]);
    },
  );

  it("kills it if the provider does not say what the newest version is", async () => {
    const hook = await hooked();
    const [, b, c] = await commits(hook, refs.github);
    const [tip] = await hook.pull({ sha: c, fork: true });
    const path = new URL(hook.git.url).pathname;
    intercept = (url) => (url.startsWith(path) ? { status: 503 } : undefined);
    expect(await hook.pull({ sha: b, fork: true, action: "synchronize" })).toEqual([]);
    expect(await statusOf(tip)).toBe("killed");
  });
});

it("a push kills the build of the commit that it replaces without another request, whatever the provider shows", async () => {
  const hook = await cancelling();
  const [a, b, c] = await commits(hook);
  const cost = async (sha: string | undefined, from: string | undefined) => {
    const before = requestsFor(hook);
    const [ref] = await hook.push({ sha, from });
    return { ref, requests: requestsFor(hook) - before };
  };
  const first = await cost(a, undefined);
  const second = await cost(b, a);
  await hook.git.git("update-ref", main, b!);
  const third = await cost(c, b);
  expect(await Promise.all([first, second, third].map(({ ref }) => statusOf(ref)))).toEqual([
    ...["killed", "killed", "queued"],
  ]);
  expect([second.requests, third.requests]).toEqual([first.requests, first.requests]);
});
