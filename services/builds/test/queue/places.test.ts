import type { Build } from "@ci/proto/builds/v1/builds";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, leaseMs, manifest } from "../_suite.js";

const suite = bootBuilds({ runningPerUser: 2, runningPerNamespace: 1 });
const ofDocker = manifest.replace("type: os", "type: docker, image: i:1, workspace: /w");
const inTeam = `namespace: team${manifest}`;

const as = <T>(user: User, { userId, number }: Build, call: (ref: { userId: number; number: number }) => Promise<T>) =>
  suite.as(user, () => call({ userId, number }));
const get = async (build: Build, user = suite.users.ann) =>
  (await as(user, build, (ref) => suite.builds.getBuild({ ref, brief: true }))).build!;
const kill = (build: Build, user = suite.users.ann) => as(user, build, (ref) => suite.builds.killBuild({ ref }));
/** Expires the cached line, which may be a second old. */
const expireLineCache = () => suite.advanceClock(1_001);

async function endAll(builds: readonly Build[], user = suite.users.ann) {
  for (const build of builds) await kill(build, user);
  // A build whose runner is gone ends when its lease does.
  for (const build of builds)
    await eventually(async () => expect((await get(build, user)).finishedAt).toBeInstanceOf(Date));
}

describe("reason", () => {
  it('is "no runner for driver" until a runner claims, and again once it is gone', async () => {
    const [first, second] = [await suite.submit(suite.users.ann), await suite.submit(suite.users.ann)];
    expect(first.queue).toEqual({ position: 1, reason: "no runner for driver" });
    expect((await get(first)).queue).toEqual({ position: 1, reason: "no runner for driver" });
    const running = (await suite.claim())!;
    expect((await get(first)).queue).toBeUndefined();
    expect((await get(second)).queue!.reason).toBe("waiting for a runner");
    const docker = await suite.submit(suite.users.ann, ofDocker);
    expect(docker.queue).toEqual({ position: 1, reason: "no runner for driver" });
    // A fully occupied runner does not claim, but it renews its leases.
    for (let n = 0; n < 4; n++) {
      await suite.elapse((2 / 3) * leaseMs);
      await suite.queue.renewLease({ buildId: running.buildId, epoch: running.epoch });
    }
    expect((await get(second)).queue!.reason).toBe("waiting for a runner");
    await suite.elapse(2 * leaseMs + 1_000);
    expect((await get(second)).queue!.reason).toBe("no runner for driver");
    await endAll([first, second, docker]);
  });

  it('is "limit of user" while the user has too many running builds', async () => {
    const builds = [
      await suite.submit(suite.users.bob),
      await suite.submit(suite.users.bob),
      await suite.submit(suite.users.bob),
    ];
    const running = [(await suite.claim())!, (await suite.claim())!];
    expect(await suite.claim()).toBeUndefined();
    expect((await get(builds[2]!, suite.users.bob)).queue!.reason).toBe("limit of user");
    await suite.finish(running[0]!, 0, "failed");
    expect((await get(builds[2]!, suite.users.bob)).queue!.reason).toBe("waiting for a runner");
    await suite.finish(running[1]!, 0, "failed");
    await endAll(builds, suite.users.bob);
  });

  it('is "limit of namespace" while the namespace has too many running builds', async () => {
    const { ann } = suite.users;
    const builds = [await suite.submit(ann, inTeam), await suite.submit(ann, inTeam), await suite.submit(ann)];
    const running = (await suite.claim())!;
    expect((await get(builds[1]!)).queue!.reason).toBe("limit of namespace");
    expect((await get(builds[2]!)).queue!.reason).toBe("waiting for a runner");
    await suite.finish(running, 0, "failed");
    expect((await get(builds[1]!)).queue!.reason).toBe("waiting for a runner");
    await endAll(builds);
  });
});

describe("position", () => {
  it("is the order in which the builds are claimed", async () => {
    const { ann, bob, eve } = suite.users;
    const builds: [Build, User][] = [];
    for (const user of [ann, ann, ann, bob, eve, eve]) builds.push([await suite.submit(user), user]);
    expireLineCache();
    const positions = new Map<number, number>();
    for (const [build, user] of builds) positions.set(build.id, (await get(build, user)).queue!.position);
    const order: number[] = [];
    for (let assignment = await suite.claim(); assignment; assignment = await suite.claim()) {
      order.push(assignment.buildId);
      await suite.finish(assignment, 0, "failed");
    }
    expect(order.map((id) => positions.get(id))).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("every form of the record", () => {
  it("shows the place of queued builds only", async () => {
    const { ann } = suite.users;
    // The claim makes the runner known.
    expect(await suite.claim()).toBeUndefined();
    const build = await suite.submit(ann, inTeam);
    const job = await as(ann, build, (ref) => suite.builds.getJob({ ref, name: "unit" }));
    const jobs = await as(ann, build, (ref) => suite.builds.listJobs({ ref, search: "" }));
    const objects = await as(ann, build, (ref) => suite.builds.listBuildObjects({ ref, search: "" }));
    const pinned = await as(ann, build, (ref) => suite.builds.pinBuild({ ref, pinned: true }));
    const tagged = await as(ann, build, (ref) => suite.builds.tagBuild({ ref, names: ["t"] }));
    const list = await suite.as(ann, () => suite.builds.listBuilds({ tag: "t", search: "" }));
    const latest = await suite.builds.getLatestBuilds({ namespaceIds: [build.namespaceId!] });
    const place = { position: 1, reason: "waiting for a runner" };
    const forms = [build, job.build, jobs.build, objects.build, pinned.build, tagged.build];
    for (const form of [...forms, ...list.builds, ...latest.builds]) expect(form!.queue).toEqual(place);
    await kill(build);
    expect((await get(build)).queue).toBeUndefined();
    await eventually(() => expect(suite.kinds(build.id)).toHaveLength(4));
    const shown = suite.events
      .filter((event) => event.buildId === build.id)
      .map(({ body }) => (body!.$case === "buildTagged" ? body!.value.build : (body!.value as Build))!.queue);
    expect(shown).toEqual([place, place, place, undefined]);
  });
});
