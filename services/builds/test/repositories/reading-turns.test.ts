import { metrics } from "@ci/kit/process/metrics";
import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import type { HookDelivery } from "../../src/store/hooks/hook-deliveries.js";
import { fault } from "../_suite.js";
import { bootHooks, type Hooked, manifest, secret } from "./_hooks.js";

let reading = 0;
let most = 0;
let held: (Gate & { path: string }) | undefined;
/** Holds and counts the requests for one repository: pushes of other tests may still be read. */
function hold({ git }: Hooked): Gate {
  const own = gate();
  held = { ...own, path: new URL(git.url).pathname };
  most = 0;
  return own;
}
const { suite, hooked } = bootHooks(
  { hookAnswerMs: 2_000 },
  {
    before: async ({ url }) => {
      if (!held || !url?.startsWith(held.path)) return undefined;
      most = Math.max(most, ++reading);
      await held.pass();
      reading--;
      return undefined;
    },
  },
);

/** Adds a repository again, with a build of its default branch. */
const connectAgain = ({ namespace, git }: Hooked, signal?: AbortSignal) => {
  const request = { namespaceId: namespace.id, provider: "github", url: git.url, secret, build: true };
  return suite.as(suite.users.ann, () => suite.repositories.createRepository(request, { signal }));
};
const stored = ({ namespace }: Hooked) =>
  suite.database().collection("repositories").countDocuments({ namespaceId: namespace.id });

it("reads a few commits of a user at once, also those of new repositories, and all of them in the end", async () => {
  const hook = await hooked();
  const sha = await hook.git.commit({ ".service-ci.yml": manifest });
  const reads = hold(hook);
  const refs = Array.from({ length: 30 }, (_, n) => `refs/heads/b${n}`);
  const answers = await Promise.all(refs.map((ref) => hook.push({ sha, ref })));
  expect(answers.flat()).toEqual([]);
  await eventually(() => expect(most).toBe(4));
  const connect = () => connectAgain(hook);
  expect(await fault(connect())).toMatchObject({ code: "exhausted", message: "Too many requests" });
  reads.open();
  const all = suite.database().collection<HookDelivery>("hookDeliveries");
  const built = { _id: { $gt: "" }, sha, failures: 0, reasons: [] };
  await eventually(async () => expect(await all.countDocuments(built)).toBe(30));
  const connected = await eventually(connect);
  expect(connected.repository).toMatchObject({ provider: "github" });
  expect(most).toBe(4);
});

describe("a new repository is not stored", () => {
  it("if its commit could not be read in time, because others of the user were", async () => {
    const hook = await hooked();
    const sha = await hook.git.commit({ ".service-ci.yml": manifest });
    const reads = hold(hook);
    const pushes = ["a", "b", "c", "d"].map((name) => hook.push({ sha, ref: `refs/heads/${name}` }));
    await eventually(() => expect(most).toBe(4));
    expect(await fault(connectAgain(hook))).toMatchObject({ code: "exhausted", message: "Too many requests" });
    reads.open();
    await Promise.all(pushes);
    // The pushes may be answered before their commits are read.
    const connected = await eventually(() => connectAgain(hook));
    expect(connected.repository).toMatchObject({ provider: "github" });
    expect(await stored(hook)).toBe(2);
  });

  it("if its user gives up while its commit is read", async () => {
    const hook = await hooked();
    await hook.git.commit({ ".service-ci.yml": manifest });
    const reads = hold(hook);
    const user = new AbortController();
    const given = fault(connectAgain(hook, user.signal));
    await reads.reached;
    user.abort();
    await given;
    // The connection keeps the order of calls, so this one arrives later than the end of the first.
    await hook.push({ sha: "0".repeat(40) });
    reads.open();
    const calls = metrics.getSingleMetric("ci_rpc_seconds")!;
    await eventually(async () => {
      const { values } = await calls.get();
      expect(values.map(({ labels }) => labels)).toContainEqual(
        expect.objectContaining({ method: expect.stringMatching(/CreateRepository$/), code: "cancelled" }),
      );
    });
    expect(await stored(hook)).toBe(1);
  });
});
