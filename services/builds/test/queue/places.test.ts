import type { Build } from "@ci/proto/builds/v1/builds";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, leaseMs, manifest } from "../_suite.js";

const on = bootBuilds({ runningPerUser: 2, runningPerNamespace: 1 });
const ofDocker = manifest.replace("type: os", "type: docker, image: i:1, workspace: /w");
const inTeam = `namespace: team${manifest}`;

const as = <T>(user: User, { userId, number }: Build, ask: (ref: { userId: number; number: number }) => Promise<T>) =>
  on.as(user, () => ask({ userId, number }));
const get = async (build: Build, user = on.users.ann) =>
  (await as(user, build, (ref) => on.builds.getBuild({ ref, brief: true }))).build!;
const kill = (build: Build, user = on.users.ann) => as(user, build, (ref) => on.builds.killBuild({ ref }));
/** What is told of others in the line may be a second old. */
const settle = () => on.later(1_001);

async function endAll(builds: readonly Build[], user = on.users.ann) {
  for (const build of builds) await kill(build, user);
  // One whose runner has gone ends when it is missed.
  for (const build of builds)
    await eventually(async () => expect((await get(build, user)).finishedAt).toBeInstanceOf(Date));
}

describe("reason", () => {
  it("no runner for driver, until one asks; again when it has gone", async () => {
    const [first, second] = [await on.submit(on.users.ann), await on.submit(on.users.ann)];
    expect(first.queue).toEqual({ position: 1, reason: "no runner for driver" });
    expect((await get(first)).queue).toEqual({ position: 1, reason: "no runner for driver" });
    const held = (await on.claim())!;
    expect((await get(first)).queue).toBeUndefined();
    expect((await get(second)).queue!.reason).toBe("waiting for a runner");
    const docker = await on.submit(on.users.ann, ofDocker);
    expect(docker.queue).toEqual({ position: 1, reason: "no runner for driver" });
    // A runner whose places are all taken asks for nothing, but renews.
    for (let n = 0; n < 4; n++) {
      await on.elapse((2 / 3) * leaseMs);
      await on.queue.renewLease({ buildId: held.buildId, epoch: held.epoch });
    }
    expect((await get(second)).queue!.reason).toBe("waiting for a runner");
    await on.elapse(2 * leaseMs + 1_000);
    expect((await get(second)).queue!.reason).toBe("no runner for driver");
    await endAll([first, second, docker]);
  });

  it("limit of user", async () => {
    const builds = [await on.submit(on.users.bob), await on.submit(on.users.bob), await on.submit(on.users.bob)];
    const held = [(await on.claim())!, (await on.claim())!];
    expect(await on.claim()).toBeUndefined();
    expect((await get(builds[2]!, on.users.bob)).queue!.reason).toBe("limit of user");
    await on.finish(held[0]!, 0, "failed");
    expect((await get(builds[2]!, on.users.bob)).queue!.reason).toBe("waiting for a runner");
    await on.finish(held[1]!, 0, "failed");
    await endAll(builds, on.users.bob);
  });

  it("limit of namespace", async () => {
    const { ann } = on.users;
    const builds = [await on.submit(ann, inTeam), await on.submit(ann, inTeam), await on.submit(ann)];
    const held = (await on.claim())!;
    expect((await get(builds[1]!)).queue!.reason).toBe("limit of namespace");
    expect((await get(builds[2]!)).queue!.reason).toBe("waiting for a runner");
    await on.finish(held, 0, "failed");
    expect((await get(builds[1]!)).queue!.reason).toBe("waiting for a runner");
    await endAll(builds);
  });
});

describe("position", () => {
  it("is the turn in which the build will be handed out", async () => {
    const { ann, bob, eve } = on.users;
    const builds: [Build, User][] = [];
    for (const user of [ann, ann, ann, bob, eve, eve]) builds.push([await on.submit(user), user]);
    settle();
    // Runs, and so frees nobody's way but its own: limits do not count.
    const told = new Map<number, number>();
    for (const [build, user] of builds) told.set(build.id, (await get(build, user)).queue!.position);
    const order: number[] = [];
    for (let got = await on.claim(); got; got = await on.claim()) {
      order.push(got.buildId);
      await on.finish(got, 0, "failed");
    }
    expect(order.map((id) => told.get(id))).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe("every form of the record", () => {
  it("tells the place of a queued build, and of no other", async () => {
    const { ann } = on.users;
    // A runner that was heard of just now.
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
