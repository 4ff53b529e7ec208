import type { Build } from "@ci/proto/builds/v1/builds";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, leaseMs, manifest } from "../_suite.js";

const on = bootBuilds({ runningPerUser: 2, runningPerNamespace: 1 });
const ofDocker = manifest.replace("type: os", "type: docker, image: i:1, workspace: /w");
const inTeam = `namespace: team${manifest}`;

const as = <T>(user: User, { userId, number }: Build, call: (ref: { userId: number; number: number }) => Promise<T>) =>
  on.as(user, () => call({ userId, number }));
const get = async (build: Build, user = on.users.ann) =>
  (await as(user, build, (ref) => on.builds.getBuild({ ref, brief: true }))).build!;
const kill = (build: Build, user = on.users.ann) => as(user, build, (ref) => on.builds.killBuild({ ref }));
/** Expires the cached line, which may be a second old. */
const expireLineCache = () => on.advanceClock(1_001);

async function endAll(builds: readonly Build[], user = on.users.ann) {
  for (const build of builds) await kill(build, user);
  // A build whose runner is gone ends when its lease does.
  for (const build of builds)
    await eventually(async () => expect((await get(build, user)).finishedAt).toBeInstanceOf(Date));
}

describe("reason", () => {
  it('is "no runner for driver" until a runner claims, and again once it is gone', async () => {
    const [first, second] = [await on.submit(on.users.ann), await on.submit(on.users.ann)];
    expect(first.queue).toEqual({ position: 1, reason: "no runner for driver" });
    expect((await get(first)).queue).toEqual({ position: 1, reason: "no runner for driver" });
    const running = (await on.claim())!;
    expect((await get(first)).queue).toBeUndefined();
    expect((await get(second)).queue!.reason).toBe("waiting for a runner");
    const docker = await on.submit(on.users.ann, ofDocker);
    expect(docker.queue).toEqual({ position: 1, reason: "no runner for driver" });
    // A fully occupied runner does not claim, but it renews its leases.
    for (let n = 0; n < 4; n++) {
      await on.elapse((2 / 3) * leaseMs);
      await on.queue.renewLease({ buildId: running.buildId, epoch: running.epoch });
    }
    expect((await get(second)).queue!.reason).toBe("waiting for a runner");
    await on.elapse(2 * leaseMs + 1_000);
    expect((await get(second)).queue!.reason).toBe("no runner for driver");
    await endAll([first, second, docker]);
  });

  it('is "limit of user" while the user has too many running builds', async () => {
    const builds = [await on.submit(on.users.bob), await on.submit(on.users.bob), await on.submit(on.users.bob)];
    const running = [(await on.claim())!, (await on.claim())!];
    expect(await on.claim()).toBeUndefined();
    expect((await get(builds[2]!, on.users.bob)).queue!.reason).toBe("limit of user");
    await on.finish(running[0]!, 0, "failed");
    expect((await get(builds[2]!, on.users.bob)).queue!.reason).toBe("waiting for a runner");
    await on.finish(running[1]!, 0, "failed");
    await endAll(builds, on.users.bob);
  });

  it('is "limit of namespace" while the namespace has too many running builds', async () => {
    const { ann } = on.users;
    const builds = [await on.submit(ann, inTeam), await on.submit(ann, inTeam), await on.submit(ann)];
    const running = (await on.claim())!;
    expect((await get(builds[1]!)).queue!.reason).toBe("limit of namespace");
    expect((await get(builds[2]!)).queue!.reason).toBe("waiting for a runner");
    await on.finish(running, 0, "failed");
    expect((await get(builds[1]!)).queue!.reason).toBe("waiting for a runner");
    await endAll(builds);
  });
});

describe("position", () => {
  it("is the order in which the builds are claimed", async () => {
    const { ann, bob, eve } = on.users;
    const builds: [Build, User][] = [];
    for (const user of [ann, ann, ann, bob, eve, eve]) builds.push([await on.submit(user), user]);
    expireLineCache();
    const positions = new Map<number, number>();
    for (const [build, user] of builds) positions.set(build.id, (await get(build, user)).queue!.position);
    const order: number[] = [];
    for (let assignment = await on.claim(); assignment; assignment = await on.claim()) {
      order.push(assignment.buildId);
      await on.finish(assignment, 0, "failed");
    }
    expect(order.map((id) => positions.get(id))).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("every form of the record", () => {
  it("shows the place of a queued build, and of no other", async () => {
    const { ann } = on.users;
    // The claim makes the runner known.
    expect(await on.claim()).toBeUndefined();
    const build = await on.submit(ann, inTeam);
    const job = await as(ann, build, (ref) => on.builds.getJob({ ref, name: "unit" }));
    const jobs = await as(ann, build, (ref) => on.builds.listJobs({ ref, search: "" }));
    const objects = await as(ann, build, (ref) => on.builds.listBuildObjects({ ref, search: "" }));
    const pinned = await as(ann, build, (ref) => on.builds.pinBuild({ ref, pinned: true }));
    const tagged = await as(ann, build, (ref) => on.builds.tagBuild({ ref, names: ["t"] }));
    const list = await on.as(ann, () => on.builds.listBuilds({ tag: "t", search: "" }));
    const latest = await on.builds.getLatestBuilds({ namespaceIds: [build.namespaceId!] });
    const place = { position: 1, reason: "waiting for a runner" };
    const forms = [build, job.build, jobs.build, objects.build, pinned.build, tagged.build];
    for (const form of [...forms, ...list.builds, ...latest.builds]) expect(form!.queue).toEqual(place);
    await kill(build);
    expect((await get(build)).queue).toBeUndefined();
    await eventually(() => expect(on.kinds(build.id)).toHaveLength(4));
    const shown = on.events
      .filter((event) => event.buildId === build.id)
      .map(({ body }) => (body!.$case === "buildTagged" ? body!.value.build : (body!.value as Build))!.queue);
    expect(shown).toEqual([place, place, place, undefined]);
  });
});
