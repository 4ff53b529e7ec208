import { readTicket } from "@ci/access/image-ticket";
import { testKeyring } from "@ci/testkit/accounts";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, manifest } from "../_suite.js";

const on = bootBuilds({ drivers: ["os", "docker", "qemu"] });

/** Claims and finishes all queued builds, and returns their users. */
async function drain(): Promise<number[]> {
  const userIds: number[] = [];
  for (let next = await on.claim(); next; next = await on.claim()) {
    userIds.push(next.userId);
    await on.finish(next, 0, "failed");
  }
  return userIds;
}
afterEach(drain);

describe("succeeds", () => {
  it("returns no build when none is queued", async () => {
    expect(await on.claim()).toBeUndefined();
  });

  it("returns everything a runner needs, with decrypted secrets", async () => {
    const { ann } = on.users;
    const variable = { namespace: "", key: "TOKEN", value: "sesame-open", mask: true };
    await on.as(ann, () => on.accounts.variables.createVariable(variable));
    const build = await on.submit(
      ann,
      `env: [A=1]\nobjects: [nowhere.txt => x]\nsources: [https://e.org/r.git main]${manifest}`,
    );
    const assignment = (await on.claim())!;
    expect(assignment).toMatchObject({ buildId: build.id, epoch: 1, number: build.number, driver: { type: "os" } });
    expect(assignment.jobs.map(({ name, commands, source }) => [name, commands, source?.ref])).toEqual([
      ["create-driver", [], undefined],
      [
        "clone.1",
        ["mkdir -p -- 'r'", "git clone -q -- 'https://e.org/r.git' 'r'", "cd -- 'r'", "git checkout -q 'main' --"],
        "main",
      ],
      ["make.1", ["echo made"], undefined],
      ["unit", ["echo tested"], undefined],
    ]);
    expect(assignment.jobs[2]!.artifacts).toMatchObject([{ source: "out.txt", name: "out.txt" }]);
    expect(assignment.variables).toEqual([
      { key: "TOKEN", value: "sesame-open", masked: true },
      { key: "A", value: "1", masked: false },
    ]);
    expect(assignment.objects).toMatchObject([{ source: "nowhere.txt", name: "x" }]);
    expect(assignment.objects[0]!.objectId).toBeUndefined();
  });

  it("returns no build of a driver that the runner did not name", async () => {
    await on.submit(on.users.ann, manifest.replace("type: os", "type: docker, image: i:1, workspace: /w"));
    expect(await on.claim()).toBeUndefined();
    const { assignment } = await on.queue.claimBuild({ runnerId: "d", drivers: ["docker"] });
    expect(assignment?.driver?.type).toBe("docker");
    await on.finish(assignment!, 0, "failed");
  });

  it("gives a ticket for the image of a virtual machine, and no other build one", async () => {
    const { ann } = on.users;
    await on.submit(ann, `namespace: vms\n${manifest.replace("type: os", "type: qemu, image: disk")}`);
    const { assignment } = await on.queue.claimBuild({ runnerId: "q", drivers: ["qemu"] });
    const { namespaceId } = assignment!;
    expect(namespaceId).toBeDefined();
    const image = { name: "disk", userId: ann.id, namespaceId, namespaceOnly: false };
    const lastMs = Date.now() + assignment!.prepareTimeoutMs;
    expect(readTicket(testKeyring, assignment!.imageTicket, new Date(lastMs))).toEqual(image);
    expect(() => readTicket(testKeyring, assignment!.imageTicket, new Date(lastMs + 600_000))).toThrow(/not valid/);
    await on.finish(assignment!, 0, "failed");
    await on.submit(ann);
    expect((await on.claim())!.imageTicket).toBeUndefined();
  });

  it("concurrent claims give each build to one runner only", async () => {
    const builds = await Promise.all(Array.from({ length: 8 }, () => on.submit(on.users.ann)));
    const claims = await Promise.all(Array.from({ length: 16 }, (_, n) => on.claim(`r${n}`)));
    const ids = claims.flatMap((claim) => (claim ? [claim.buildId] : []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(builds.length);
    for (const claim of claims) if (claim) await on.finish(claim, 0, "failed");
  });

  it("serves users in turn, and each user's oldest build first", async () => {
    const { ann, bob } = on.users;
    for (let n = 0; n < 5; n++) await on.submit(ann);
    await on.submit(bob);
    const userIds = await drain();
    expect(userIds.indexOf(bob.id)).toBeLessThanOrEqual(1);
    expect(userIds).toHaveLength(6);
  });
});

describe("events", () => {
  it("a claim publishes build.started", async () => {
    const build = await on.submit(on.users.ann);
    await on.claim();
    await eventually(() => expect(on.kinds(build.id)).toEqual(["build.submitted", "build.started"]));
    const [, started] = on.events.filter((event) => event.buildId === build.id);
    expect(started!.body).toMatchObject({ value: { status: "running", startedAt: expect.any(Date) } });
    expect(started!.actorId).toBeUndefined();
  });
});
