import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { gate } from "@ci/testkit/gate";
import { connect } from "@ci/testkit/identities";
import { limitOf } from "@ci/testkit/quotas";
import type { Context } from "../src/context.js";
import { buildStore } from "../src/store/builds.js";
import { cronStore } from "../src/store/crons.js";
import { aBuild } from "./_build.js";
import { bootBuilds, clients } from "./_suite.js";

// A page of records may have 16 MiB, and so may a single one.
const suite = bootBuilds();
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);
const long = `\u2713${"x".repeat(1_000_000)}`;
const stores = () => ({
  builds: buildStore(suite.database(), () => undefined),
  crons: cronStore(suite.database(), () => undefined, limitOf("Cron jobs", "user")),
});

/** Holds reads until it is opened, and counts those of each user. */
function holding() {
  const { pass, open } = gate();
  const running = new Map<number, number>();
  let peak = 0;
  return {
    open,
    peak: () => peak,
    async hold<T>(userId: number, read: () => Promise<T>): Promise<T> {
      if (userId !== suite.users.ann.id) return read();
      running.set(userId, (running.get(userId) ?? 0) + 1);
      peak = Math.max(peak, running.get(userId)!);
      await pass();
      return read().finally(() => running.set(userId, running.get(userId)! - 1));
    },
  };
}
type Clients = ReturnType<typeof clients>;

/** Sends 16 requests of ann at once, then one of bob. Returns how many of ann's were read at a time. */
async function mostAtOnce(
  parts: (hold: ReturnType<typeof holding>["hold"]) => Partial<Context>,
  request: (from: Clients, nth: number, user: User) => Promise<unknown>,
): Promise<number> {
  const { ann, bob } = suite.users;
  const { open, peak, hold } = holding();
  await using service = await suite.startService(parts(hold));
  await using peer = connect(`127.0.0.1:${service.port}`);
  const from = clients(peer);
  const send = (user: User, nth: number) => suite.as(user, () => request(from, nth, user));
  const sent = upTo(16).map((nth) => send(ann, nth));
  await eventually(() => expect(peak()).toBeGreaterThan(0));
  await send(bob, 1);
  open();
  await Promise.all(sent);
  return peak();
}

it("a list keeps 64 KiB of a long manifest as soon as a record is decoded", async () => {
  const { builds, crons } = stores();
  const doc = aBuild({ _id: 900, userId: 900, ownerId: 900, number: 1, manifest: long });
  await builds.insert([doc]);
  await suite
    .database()
    .collection<{ _id: number }>("crons")
    .insertOne({ ...doc, name: "a" } as never);
  const owner = { userId: 900, rootIds: [] };
  const selection = { scope: { ownerId: 900, rootIds: [] }, tag: "", search: "" };
  for (const rootIds of [[], upTo(400)]) {
    const scope = { ...selection.scope, rootIds };
    const found = [
      await builds.list({ ...selection, scope }, 1),
      await builds.listBriefly({ ...selection, scope }, 1),
      await crons.list({ ...owner, rootIds }, "", 1),
    ];
    for (const { items } of found) expect(items.map(({ manifest }) => manifest.length)).toEqual([65_570]);
  }
});

it("one user's lists of builds are read six at a time, and another user's is read meanwhile", async () => {
  const { builds } = stores();
  const ownerOf = ({ scope }: Parameters<typeof builds.list>[0]) => (scope as { ownerId: number }).ownerId;
  const peak = await mostAtOnce(
    (hold) => ({ builds: { ...builds, list: (...which) => hold(ownerOf(which[0]), () => builds.list(...which)) } }),
    (from, number) => from.builds.listBuilds({ tag: "", search: "", page: { number } }),
  );
  expect(peak).toBe(6);
});

it("one user's lists of cron jobs are read six at a time, and another user's is read meanwhile", async () => {
  const { crons } = stores();
  const peak = await mostAtOnce(
    (hold) => ({ crons: { ...crons, list: (...which) => hold(which[0].userId, () => crons.list(...which)) } }),
    (from, number) => from.crons.listCrons({ search: "", page: { number } }),
  );
  expect(peak).toBe(6);
});

it("variables and keys of one user's builds are read from two builds at a time", async () => {
  const { builds } = stores();
  for (const user of [suite.users.ann, suite.users.bob]) await suite.submit(user);
  const byNumber: typeof builds.byNumber = (userId, ...which) => held(userId, () => builds.byNumber(userId, ...which));
  let held: ReturnType<typeof holding>["hold"];
  const peak = await mostAtOnce(
    (hold) => {
      held = hold;
      return { builds: { ...builds, byNumber } };
    },
    (from, nth, { id: userId }) => {
      const request = { ref: { userId, number: 1 }, search: "" };
      return nth % 2 ? from.builds.listBuildVariables(request) : from.builds.listBuildKeys(request);
    },
  );
  expect(peak).toBe(2);
});
