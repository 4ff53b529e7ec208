import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, manifest } from "../_suite.js";

const on = bootBuilds();

/** Takes and ends everything that waits. */
async function drain(): Promise<number[]> {
  const users: number[] = [];
  for (let next = await on.claim(); next; next = await on.claim()) {
    users.push(next.userId);
    await on.finish(next, 0, "failed");
  }
  return users;
}
afterEach(drain);

describe("answers", () => {
  it("nothing when nothing waits", async () => {
    expect(await on.claim()).toBeUndefined();
  });

  it("everything a runner needs, secrets in the clear", async () => {
    const { ann } = on.users;
    const ask = { namespace: "", key: "TOKEN", value: "sesame-open", mask: true };
    await on.as(ann, () => on.accounts.variables.createVariable(ask));
    const build = await on.submit(
      ann,
      `env: [A=1]\nobjects: [nowhere.txt => x]\nsources: [https://e.org/r.git main]${manifest}`,
    );
    const got = (await on.claim())!;
    expect(got).toMatchObject({ buildId: build.id, epoch: 1, number: build.number, driver: { type: "os" } });
    expect(got.jobs.map(({ name, commands, source }) => [name, commands, source?.ref])).toEqual([
      ["create-driver", [], undefined],
      [
        "clone.1",
        ["mkdir -p -- 'r'", "git clone -q -- 'https://e.org/r.git' 'r'", "cd -- 'r'", "git checkout -q 'main' --"],
        "main",
      ],
      ["make.1", ["echo made"], undefined],
      ["unit", ["echo tested"], undefined],
    ]);
    expect(got.jobs[2]!.artifacts).toMatchObject([{ source: "out.txt", name: "out.txt" }]);
    expect(got.variables).toEqual([
      { key: "TOKEN", value: "sesame-open", masked: true },
      { key: "A", value: "1", masked: false },
    ]);
    expect(got.objects).toMatchObject([{ source: "nowhere.txt", name: "x" }]);
    expect(got.objects[0]!.objectId).toBeUndefined();
  });

  it("no build of a driver it did not name", async () => {
    await on.submit(on.users.ann, manifest.replace("type: os", "type: docker, image: i:1, workspace: /w"));
    expect(await on.claim()).toBeUndefined();
    const { assignment } = await on.queue.claimBuild({ runnerId: "d", drivers: ["docker"] });
    expect(assignment?.driver?.type).toBe("docker");
    await on.finish(assignment!, 0, "failed");
  });

  it("each build to one runner only", async () => {
    const builds = await Promise.all(Array.from({ length: 8 }, () => on.submit(on.users.ann)));
    const claims = await Promise.all(Array.from({ length: 16 }, (_, n) => on.claim(`r${n}`)));
    const ids = claims.flatMap((claim) => (claim ? [claim.buildId] : []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(builds.length);
    for (const claim of claims) if (claim) await on.finish(claim, 0, "failed");
  });

  it("users in turn, oldest first within a user", async () => {
    const { ann, bob } = on.users;
    for (let n = 0; n < 5; n++) await on.submit(ann);
    await on.submit(bob);
    const users = await drain();
    expect(users.indexOf(bob.id)).toBeLessThanOrEqual(1);
    expect(users).toHaveLength(6);
  });
});

describe("events", () => {
  it("reports the start", async () => {
    const build = await on.submit(on.users.ann);
    await on.claim();
    await eventually(() => expect(on.kinds(build.id)).toEqual(["build.submitted", "build.started"]));
    const [, started] = on.events.filter((event) => event.buildId === build.id);
    expect(started!.body).toMatchObject({ value: { status: "running", startedAt: expect.any(Date) } });
    expect(started!.actorId).toBeUndefined();
  });
});
