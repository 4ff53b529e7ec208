import type { User } from "@ci/proto/namespaces/v1/accounts";
import { aDisk } from "@ci/testkit/a-disk";
import { eventually } from "@ci/testkit/eventually";
import type { ImageDoc } from "../src/domain/image.js";
import { imageStore } from "../src/store/images.js";
import { serving, stallingServer, type } from "./_server.js";
import { imagesSuite, testLimits } from "./_suite.js";

const content = aDisk();
const service = imagesSuite();

test("a place that becomes free goes to a user without a running download", async () => {
  await using hanging = await stallingServer(content);
  const names = ["one", "two", "three", "four"];
  const waiting = async (user: User) => {
    const images = [];
    for (const name of names) images.push(await service.download(user, hanging.url, name));
    return { user, images };
  };
  const [ada, bob, eve] = [await service.aUser(), await service.aUser(), await service.aUser()];
  const queues = [await waiting(ada), await waiting(bob)];
  await eventually(() => expect(hanging.connections()).toBe(4));
  await using server = await serving({ status: 200, headers: type, body: content });
  const last = await service.download(eve, `${server.url}/disk`);
  await service.remove(ada, queues[0]!.images[0]!.id);
  expect((await service.finished(eve, last)).size).toBe(content.length);
  for (const { user, images } of queues)
    for (const { id } of images.slice(user === ada ? 1 : 0)) await service.remove(user, id);
});

test("a claim costs the same however many downloads of other users wait", async () => {
  await using apart = await service.bootAnother();
  const user = await service.aUser();
  const { id } = await apart.upload(user, "disk", content);
  const db = apart.db;
  const images = db.collection<ImageDoc>("images");
  const one = (await images.findOne({ _id: id }))!;
  const store = imageStore(db, () => undefined, testLimits);
  const due = (userId: number, _id: number) => {
    const dueAt = new Date(userId === later ? Date.now() + 3_600_000 : 0);
    const fetch = { sealedUrl: "", failures: 0, dueAt };
    return { ...one, _id, userId, scope: `test/${_id}`, outbox: [], fetch };
  };
  const later = 1_003;
  const busy = [1_001, 1_002];
  const docs = [...busy, later].flatMap((userId, at) =>
    Array.from({ length: 1_000 }, (_, n) => due(userId, 10_000 * (at + 1) + n)),
  );
  await images.insertMany([...docs, due(1_004, 50_000)]);
  await db.command({ profile: 2 });
  const claimed = await store.claim("a token", 60_000, { after: 1_000, notOf: busy });
  await db.command({ profile: 0 });
  expect(claimed!._id).toBe(50_000);
  const found = await db.collection("system.profile").findOne({ "command.query.userId.$nin": busy });
  expect(found).toMatchObject({ keysExamined: expect.any(Number), docsExamined: 1 });
  expect(found!.keysExamined).toBeLessThan(10);
});
