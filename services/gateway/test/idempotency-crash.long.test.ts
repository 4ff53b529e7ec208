import { openMongo } from "@ci/kit/mongo/mongo";
import { aManifest } from "@ci/testkit/builders";
import { eventually } from "@ci/testkit/eventually";
import { startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";

// The builds service is killed as soon as a build is stored: mostly before its response has left.

const names = suite();

test("a submission whose response a crash took can be repeated, and makes one build", async () => {
  await using ci = await startProcesses(names);
  await using mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_builds`);
  const builds = mongo.db.collection("builds");
  const { id } = (await ci.api.get("/user")).json;
  const countBefore = await builds.countDocuments({ userId: id });
  const rounds = 5;
  for (let round = 1; round <= rounds; round++) {
    const submit = () =>
      ci.api.send("POST", "/builds", {
        json: { manifest: aManifest({ driver: { type: "docker", image: "none", workspace: "/w" } }) },
        headers: { "Idempotency-Key": `round ${round}` },
      });
    const first = submit();
    await eventually(async () => expect(await builds.countDocuments({ userId: id })).toBe(countBefore + round));
    await ci.kill("builds");
    const { status, json } = await first;
    expect([201, 503]).toContain(status);
    await ci.start("builds");
    const again = await eventually(async () => {
      const response = await submit();
      expect(response.status).toBe(201);
      return response;
    });
    expect(again.headers["idempotent-replayed"]).toBe("true");
    if (status === 201) expect(again.json.number).toBe(json.number);
    expect(await builds.countDocuments({ userId: id })).toBe(countBefore + round);
  }
});
