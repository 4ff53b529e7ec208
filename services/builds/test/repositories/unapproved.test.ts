import type { Build } from "@ci/proto/builds/v1/builds";
import { eventually } from "@ci/testkit/eventually";
import { BSON } from "mongodb";
import type { BuildDoc } from "../../src/domain/build.js";
import { fault } from "../_suite.js";
import { bootHooks, type Hooked } from "./_hooks.js";

const { suite, hooked, build } = bootHooks();
const { users } = suite;
const stored = () => suite.database().collection<BuildDoc>("builds");

type Ref = Pick<Build, "userId" | "number">;
const page = { number: 1 };
const approve = (ref: Ref) => suite.as(users.ann, () => suite.builds.approveBuild({ ref }));
const kill = (ref: Ref) => suite.as(users.ann, () => suite.builds.killBuild({ ref }));
const restart = (ref: Ref, group?: boolean) =>
  suite.as(users.ann, () => suite.builds.restartBuild({ ref, restartOf: "x", group }));

const text = "x".repeat(2_000);
const large = `
driver: {type: docker, image: busybox, workspace: /${text}}
matrix: {AXIS: [${"a".repeat(255)}, b]}
env: [TEXT=${text}]
objects: [${text.slice(0, 200)}]
services: [{name: db, image: busybox, command: [${text}]}]
cache: [{name: a, key: [a], paths: [${text.slice(0, 200)}]}]
stages: [make]
jobs:
${Array.from({ length: 50 }, (_, n) => `- {stage: make, name: job${n}, commands: [${text}], artifacts: [out${n}]}`).join("\n")}
`;

const push = async ({ git, pull }: Hooked, version: string, manifest = large) =>
  pull({ sha: await git.commit({ ".service-ci.yml": manifest, version }), fork: true, action: "synchronize" });

const bytesOf = async (ref: Ref) => BSON.calculateObjectSize((await stored().findOne(ref))!);

/** Expects that a killed build keeps only what says why it was killed. */
async function expectForgotten(ref: Ref, reason: string) {
  expect(await build(ref)).toMatchObject({ status: "killed", reason, manifest: "", trigger: { type: "pull" } });
  await eventually(async () => expect(await bytesOf(ref)).toBeLessThan(4_096));
  await suite.as(users.ann, async () => {
    expect(await suite.builds.listJobs({ ref, search: "", page })).toMatchObject({ jobs: [] });
    expect(await suite.builds.listArtifacts({ ref, search: "", page })).toMatchObject({ artifacts: [] });
    expect(await suite.builds.listBuildObjects({ ref, search: "", page })).toMatchObject({ objects: [] });
    expect(await suite.builds.listBuildVariables({ ref, search: "", page })).toMatchObject({ variables: [] });
  });
  expect(await fault(restart(ref))).toMatchObject({
    code: "invalid",
    fields: { manifest: [expect.stringContaining("killed before a member approved it")] },
  });
}

describe("a build of a fork keeps nothing of its manifest if it is killed before a member approves it", () => {
  it("if a newer push kills it; an approved one keeps everything", async () => {
    const hook = await hooked();
    const [first, approved] = await push(hook, "1");
    expect(await bytesOf(first!)).toBeGreaterThan(200_000);
    await approve(approved!);
    const seen: unknown[] = [];
    const followed = suite.as(users.ann, async () => {
      for await (const { item } of suite.builds.watchOutput({ ref: first, job: "job1", offset: 0 })) seen.push(item);
    });
    await eventually(() => expect(seen).toContainEqual({ $case: "waiting", value: expect.anything() }));
    const newer = await push(hook, "2");
    await expectForgotten(first!, "killed by a newer push or run");
    await followed;
    expect(seen.at(-1)).toEqual({ $case: "end", value: { status: "killed" } });
    await kill(approved!);
    expect(await build(approved!)).toMatchObject({ manifest: large, group: { index: 1, size: 2 } });
    const { build: again } = await restart(approved!);
    for (const ref of [...newer, again!]) await kill(ref);
  });

  it("if its repository is set to ignore forks, or a member kills it", async () => {
    const hook = await hooked();
    const [first, second] = await push(hook, "1");
    await kill(first!);
    const { namespace, record } = hook;
    const change = { namespaceId: namespace.id, id: record.id, removeAccessToken: false, forks: "ignore" };
    await suite.as(users.ann, () => suite.repositories.updateRepository(change));
    await expectForgotten(first!, "killed by ann");
    await expectForgotten(second!, "killed by its repository's setting forks: ignore");
  });
});
