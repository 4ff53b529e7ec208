import { imageScopes, readTicket } from "@ci/access/image-ticket";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import { testKeyring } from "@ci/testkit/accounts";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, manifest } from "../_suite.js";

const suite = bootBuilds({ drivers: ["os", "docker", "qemu"] });

/** Claims and finishes all queued builds, and returns their users. */
async function drain(): Promise<number[]> {
  const userIds: number[] = [];
  for (let next = await suite.claim(); next; next = await suite.claim()) {
    userIds.push(next.userId);
    await suite.finish(next, 0, "failed");
  }
  return userIds;
}
afterEach(drain);

describe("succeeds", () => {
  it("returns no build if no build is queued", async () => {
    expect(await suite.claim()).toBeUndefined();
  });

  it("returns everything a runner needs, with decrypted secrets", async () => {
    const { ann } = suite.users;
    const variable = { namespace: "", key: "TOKEN", value: "sesame-open", mask: true };
    await suite.as(ann, () => suite.accounts.variables.createVariable(variable));
    const build = await suite.submit(
      ann,
      `env: [A=1]\nobjects: [nowhere.txt => x]\nsources: [https://e.org/r.git main]${manifest}`,
    );
    const assignment = (await suite.claim())!;
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

  it("returns whether the build was the last one of the runner's drivers", async () => {
    const docker = manifest.replace("type: os", "type: docker, image: i:1, workspace: /w");
    const { ann, bob } = suite.users;
    for (const [user, text] of [[ann], [ann], [bob], [bob, docker]] as const) await suite.submit(user, text);
    async function claimed(...drivers: Driver_Type[]): Promise<boolean> {
      const { assignment, wasLast } = await suite.queue.claimBuild({ runnerId: "r1", drivers });
      await suite.finish(assignment!, 0, "failed");
      return wasLast;
    }
    expect([await claimed("os"), await claimed("os"), await claimed("os")]).toEqual([false, false, true]);
    await suite.submit(ann);
    expect([await claimed("os", "docker"), await claimed("os", "docker")]).toEqual([false, true]);
  });

  it("returns no build of a driver that the runner did not name", async () => {
    await suite.submit(suite.users.ann, manifest.replace("type: os", "type: docker, image: i:1, workspace: /w"));
    expect(await suite.claim()).toBeUndefined();
    const { assignment } = await suite.queue.claimBuild({ runnerId: "d", drivers: ["docker"] });
    expect(assignment?.driver?.type).toBe("docker");
    await suite.finish(assignment!, 0, "failed");
  });

  const machine = manifest.replace("type: os", "type: qemu, image: disk");
  const claimMachine = async () => (await suite.queue.claimBuild({ runnerId: "q", drivers: ["qemu"] })).assignment!;

  it("gives a ticket for the image of a virtual machine, and no other build one", async () => {
    const { ann } = suite.users;
    await suite.submit(ann, `namespace: vms/low\n${machine}`);
    const assignment = await claimMachine();
    const { id: namespaceId, ancestorIds } = await suite.accounts.aNamespace(ann, "vms/low");
    expect([assignment.namespaceId, ancestorIds]).toEqual([namespaceId, [expect.any(Number)]]);
    const image = { name: "disk", userId: ann.id, namespaceId, ancestorIds, namespaceOnly: false };
    const lastMs = Date.now() + assignment.prepareTimeoutMs;
    expect(readTicket(testKeyring, assignment.imageTicket, new Date(lastMs))).toEqual(image);
    expect(() => readTicket(testKeyring, assignment.imageTicket, new Date(lastMs + 600_000))).toThrow(/not valid/);
    await suite.finish(assignment, 0, "failed");
    await suite.submit(ann);
    expect((await suite.claim())!.imageTicket).toBeUndefined();
  });

  it("a ticket no longer opens images of a deleted namespace or those above it, and a fork's ticket opens none", async () => {
    const { ann } = suite.users;
    const scopesAfter = async (act: (id: number) => Promise<unknown>) => {
      const { id } = await suite.submit(ann, `namespace: gone/low\n${machine}`);
      await act(id);
      const assignment = await claimMachine();
      await suite.finish(assignment, 0, "failed");
      return imageScopes(readTicket(testKeyring, assignment.imageTicket, new Date()));
    };
    const origin = { url: "https://e.org/r", sha: "1", bare: true };
    expect(await scopesAfter((id) => suite.change(id, { $set: { origin }, $inc: { rev: 1 } }))).toEqual([]);
    const { id: namespaceId, rootId } = await suite.accounts.aNamespace(ann, "gone/low");
    expect(await scopesAfter(async () => {})).toEqual([`n${namespaceId}`, `n${rootId}`, `u${ann.id}`]);
    const deleted = async (id: number) => {
      await suite.as(ann, () => suite.accounts.namespaces.deleteNamespace({ id: rootId }));
      const stored = () => suite.database().collection<{ _id: number }>("builds").findOne({ _id: id });
      const left = await eventually(async () => {
        const doc = await stored();
        expect(doc).not.toHaveProperty("namespaceId");
        return doc;
      });
      expect(left).not.toHaveProperty("ancestorIds");
    };
    expect(await scopesAfter(deleted)).toEqual([`u${ann.id}`]);
  });

  it("concurrent claims give each build to one runner only", async () => {
    const builds = await Promise.all(Array.from({ length: 8 }, () => suite.submit(suite.users.ann)));
    const claims = await Promise.all(Array.from({ length: 16 }, (_, n) => suite.claim(`r${n}`)));
    const ids = claims.flatMap((claim) => (claim ? [claim.buildId] : []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(builds.length);
    for (const claim of claims) if (claim) await suite.finish(claim, 0, "failed");
  });

  it("serves users in turn, and each user's oldest build first", async () => {
    const { ann, bob } = suite.users;
    for (let n = 0; n < 5; n++) await suite.submit(ann);
    await suite.submit(bob);
    const userIds = await drain();
    expect(userIds.indexOf(bob.id)).toBeLessThanOrEqual(1);
    expect(userIds).toHaveLength(6);
  });
});

describe("events", () => {
  it("a claim publishes build.started", async () => {
    const build = await suite.submit(suite.users.ann);
    await suite.claim();
    await eventually(() => expect(suite.kinds(build.id)).toEqual(["build.submitted", "build.started"]));
    const [, started] = suite.events.filter((event) => event.buildId === build.id);
    expect(started!.body).toMatchObject({ value: { status: "running", startedAt: expect.any(Date) } });
    expect(started!.actorId).toBeUndefined();
  });
});
