import { startConstellation } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { startStores } from "@ci/testkit/stores";

const clients = 16;
const kills = 6;
const answersBetweenKills = 50;

test.each(["standalone", "replica set"] as const)(
  "however often MongoDB is killed, no build that was answered with 201 is lost, and each has its own number (%s)",
  async (mongoAs) => {
    await using stores = await startStores(mongoAs);
    const { mongoUrl, natsUrl, mongo } = stores;
    const names = { mongoUrl, natsUrl, mongoDb: "killed", subjectPrefix: "killed" };
    await using ci = await startConstellation(names, { settings: { LOG_LEVEL: "silent" } });
    const answered: { id: number; number: number; url: string }[] = [];
    const refusals = new Set<number>();
    let submitting = true;
    const submit = async () => {
      while (submitting) {
        const { status, json } = await ci.admin.post("/builds", { manifest: "{driver: {type: os}}" });
        if (status === 201) answered.push(json);
        else refusals.add(status);
      }
    };
    const loops = Promise.all(Array.from({ length: clients }, submit));
    for (let kill = 0; kill < kills; kill++) {
      const before = answered.length;
      await eventually(() => expect(answered.length).toBeGreaterThan(before + answersBetweenKills), { everyMs: 10 });
      await mongo.kill();
      await mongo.start();
    }
    await eventually(async () => expect((await ci.admin.get("/health")).status).toBe(200));
    submitting = false;
    await loops;
    expect([...refusals].filter((status) => status !== 503)).toEqual([]);
    expect(new Set(answered.map(({ number }) => number)).size).toBe(answered.length);
    for (const { id, url } of answered) {
      const { status, json } = await ci.admin.get(url);
      expect([status, json.id]).toEqual([200, id]);
    }
  },
  1_200_000,
);
