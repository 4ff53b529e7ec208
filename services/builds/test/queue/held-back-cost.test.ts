import { suite } from "@ci/testkit/suite";
import type { Collection } from "mongodb";
import type { BuildDoc } from "../../src/domain/build.js";
import { ensureAllIndexes } from "../../src/store/indexes.js";
import { oldestBuilds } from "../../src/store/queue/oldest-builds.js";
import { queueStore } from "../../src/store/queue/queue.js";
import { aBuild, after } from "../_build.js";
import { type CountingClient, countingClient } from "../_received.js";

const names = suite();
const manifest = "#".repeat(100_000);
const userId = 7;
let client: CountingClient;

beforeAll(async () => {
  client = await countingClient(names);
  await ensureAllIndexes(client.db);
});
afterAll(() => client.close());

const builds = () => client.db.collection("builds");
const build = (id: number, where: object) =>
  ({ ...aBuild({ _id: id, number: id, userId, manifest, createdAt: after(id) }), ...where }) as never;
const group = (key: string) => ({ concurrency: { key } });

it.each([
  ["groups", (n: number) => group(`group ${n}`), { roots: [], busyGroups: true }],
  ["namespaces", (n: number) => ({ rootId: n }), { roots: [1], busyGroups: false }],
])("a claim that skips %s reads one whole build, however many it chooses from", async (_what, where, heldBack) => {
  await builds().deleteMany({});
  await builds().insertMany(Array.from({ length: 20 }, (_, n) => build(n + 1, where(n + 1))));
  await builds().updateOne({ _id: 1 as never }, { $set: { status: "running" } });
  const before = client.bytes();
  const { doc } = await queueStore(client.db).oldest("os", userId, { ...heldBack, ids: [] });
  expect(doc).toMatchObject({ _id: 2, manifest });
  expect(client.bytes() - before).toBeLessThan(2 * manifest.length);
});

it("a claim looks again if another replica has taken the only build that it found", async () => {
  await builds().deleteMany({});
  await builds().insertMany([1, 2, 3].map((n) => build(n, { rootId: n < 2 ? 1 : 2 })));
  const real = client.db.collection<BuildDoc>("builds");
  const slow = new Proxy(real, {
    get: (target, key: keyof Collection<BuildDoc>) =>
      key === "findOne"
        ? async (filter: object) => {
            await real.updateOne({ _id: 2 }, { $set: { status: "running" } });
            return real.findOne(filter);
          }
        : ((target[key] as () => unknown).bind?.(target) ?? target[key]),
  });
  const { doc } = await oldestBuilds(slow).oldest("os", userId, { roots: [1], busyGroups: false, ids: [] });
  expect(doc).toMatchObject({ _id: 3 });
});
