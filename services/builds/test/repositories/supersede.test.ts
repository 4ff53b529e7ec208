import { eventually } from "@ci/testkit/eventually";
import type { Answer } from "@ci/testkit/receiver";
import { bootHooks, type Hooked, manifest } from "./_hooks.js";

let intercept: (path: string) => Answer | undefined = () => undefined;
const { suite, hooked, build, deliveriesOf, redeliver } = bootHooks(
  { hookPausesMs: [20, 20, 20] },
  { before: ({ url }) => intercept(url!) },
);
beforeEach(() => {
  intercept = () => undefined;
});

const statusOf = async (ref: { userId: number; number: number } | undefined) => (await build(ref!)).status;
const cancelling = () => hooked("github", undefined, suite.users.ann, { cancelSuperseded: true });
let count = 0;
const commit = ({ git }: Hooked) => git.commit({ ".service-ci.yml": manifest, text: `${count++}` });

it("a newer push to a branch kills queued and running builds of older ones, and no others", async () => {
  const hook = await cancelling();
  const [running] = await hook.push({ sha: await commit(hook) });
  const assignment = await eventually(async () => {
    const found = await suite.claim();
    expect(found?.buildId).toBe((await build(running!)).id);
    return found!;
  });
  const [other] = await hook.push({ sha: await commit(hook), ref: "refs/heads/other" });
  const [tagged] = await hook.push({ sha: await commit(hook), ref: "refs/tags/main" });
  const [request] = await hook.pull({ sha: await commit(hook), ref: "main" });
  const [queued] = await hook.push({ sha: await commit(hook) });
  const [newest] = await hook.push({ sha: await commit(hook) });
  expect([await statusOf(queued), await statusOf(newest)]).toEqual(["killed", "queued"]);
  for (const ref of [other, tagged, request]) expect(await statusOf(ref)).toBe("queued");
  const { buildId, epoch } = assignment;
  expect(await suite.queue.renewLease({ buildId, epoch })).toMatchObject({ kill: true });
});

it("an update of a request kills the builds of older ones", async () => {
  const hook = await cancelling();
  const [first] = await hook.pull({ sha: await commit(hook) });
  const [another] = await hook.pull({ sha: await commit(hook), number: 8 });
  const [second] = await hook.pull({ sha: await commit(hook), action: "synchronize" });
  expect([await statusOf(first), await statusOf(another), await statusOf(second)]).toEqual([
    ...["killed", "queued", "queued"],
  ]);
});

it("a redelivery of an older push kills no build of a newer one, and one of the newest push kills none of that push", async () => {
  const hook = await cancelling();
  await hook.push({ sha: await commit(hook) });
  const [newest] = await hook.push({ sha: await commit(hook) });
  const [second, first] = await deliveriesOf(hook);
  const older = await redeliver(hook, first!.id);
  expect([await statusOf(older), await statusOf(newest)]).toEqual(["killed", "queued"]);
  const again = await redeliver(hook, (await deliveriesOf(hook))[0]!.id);
  expect([await statusOf(again), await statusOf(newest)]).toEqual(["killed", "queued"]);
  const same = await redeliver(hook, second!.id);
  expect([await statusOf(same), await statusOf(newest)]).toEqual(["queued", "queued"]);
});

it("without the setting nothing is killed", async () => {
  const hook = await hooked();
  const [first] = await hook.push({ sha: await commit(hook) });
  await hook.push({ sha: await commit(hook) });
  expect(await statusOf(first)).toBe("queued");
});

it("an older push that could be read only after a newer one is the one that is killed", async () => {
  const hook = await cancelling();
  const [older, newer] = [await commit(hook), await commit(hook)];
  intercept = () => ({ status: 503 });
  await hook.push({ sha: older });
  intercept = () => undefined;
  const [ref] = await hook.push({ sha: newer });
  const late = await eventually(async () => {
    const { builds } = await suite.as(suite.users.ann, () =>
      suite.builds.listBuilds({ namespaceId: hook.namespace.id, tag: "", search: "", page: undefined }),
    );
    expect(builds).toHaveLength(2);
    return builds.find(({ number }) => number !== ref!.number)!;
  });
  await eventually(async () => expect(await statusOf(late)).toBe("killed"));
  expect(await statusOf(ref)).toBe("queued");
});
