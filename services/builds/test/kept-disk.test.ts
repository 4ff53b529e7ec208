import { Readable } from "node:stream";
import { sendUpload } from "@ci/kit/bytes/upload";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { bootBuilds, fault } from "./_suite.js";

const suite = bootBuilds({ drivers: ["qemu"] });

const manifest = `
driver: {type: qemu, image: debian, keep_on_failure: 10}
stages: [make]
jobs: [{stage: make, commands: [make], artifacts: [out.txt]}]
`;

/** Returns the names of the artifacts that this user can list. Checks that the user can read exactly these one by one. */
async function visibleTo(user: User, ref: { userId: number; number: number }): Promise<string[]> {
  const { artifacts } = await suite.as(user, () => suite.builds.listArtifacts({ ref, search: "" }));
  const listed = artifacts.map(({ name }) => name);
  for (const name of ["machine.qcow2", "out.txt"]) {
    const answer = suite
      .as(user, () => suite.builds.getArtifact({ ref, name }))
      .then(
        ({ artifact }) => artifact!.name,
        (error) => error.code,
      );
    expect(await answer).toBe(listed.includes(name) ? name : "not_found");
  }
  return listed;
}

it("members see the disk of a kept VM; other viewers of the build see only its other artifacts", async () => {
  const { ann, bob, eve } = suite.users;
  const { namespaces } = suite.accounts;
  const team = await suite.accounts.aNamespace(ann, "team");
  await suite.as(ann, () => namespaces.updateNamespace({ id: team.id, visibility: "internal" }));
  const { invite } = await suite.as(ann, () => namespaces.sendInvite({ namespaceId: team.id, handle: "bob" }));
  await suite.as(bob, () => namespaces.acceptInvite({ id: invite!.id }));
  const build = await suite.submit(ann, `namespace: team${manifest}`);
  const ref = { userId: build.userId, number: build.number };
  const listings = async () => [await visibleTo(ann, ref), await visibleTo(bob, ref), await visibleTo(eve, ref)];
  const expected = [["machine.qcow2", "out.txt"], ["machine.qcow2", "out.txt"], ["out.txt"]];
  expect(await listings()).toEqual(expected);

  // The content of the disk is as restricted as its name.
  const { assignment } = await suite.queue.claimBuild({ runnerId: "r1", drivers: ["qemu"] });
  const { buildId, epoch, jobs } = assignment!;
  await suite.finish(assignment!, 0, "passed");
  const header = { buildId, epoch, artifactId: jobs[0]!.artifacts[0]!.id };
  await suite.queue.putArtifact(sendUpload(header, Readable.from([Buffer.from("disk")])));
  expect(await listings()).toEqual(expected);
  const read = (user: User) =>
    suite.as(user, async () => {
      for await (const { chunk } of suite.builds.readArtifact({ ref, name: "machine.qcow2" })) return String(chunk);
    });
  expect([await read(ann), await read(bob)]).toEqual(["disk", "disk"]);
  expect(await fault(read(eve))).toMatchObject({ code: "not_found" });
});
