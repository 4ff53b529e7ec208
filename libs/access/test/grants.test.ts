import { setImmediate as nextTurn } from "node:timers/promises";
import { type Bus, connectBus } from "@ci/kit/bus/bus";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { cachingGrants, expireGrants } from "../src/grants.js";

const names = suite();
let bus: Bus;
beforeAll(async () => {
  bus = await connectBus(names.natsUrl, names.subjectPrefix, "test", createLog("test", "silent"));
});
afterAll(() => bus[Symbol.asyncDispose]());

/** Returns a client that allows the namespaces in `granted` and records the requested ones. */
function accessTo(granted: number[], connection: Pick<Bus, "connected" | "onNudge"> = bus) {
  const requests: (readonly number[])[] = [];
  const joined: number[] = [];
  const client = {
    listMemberships: async (_request: { userId?: number }) => ({ rootIds: [...joined] }),
    async allow({ namespaceIds = [] }: { userId?: number; action?: string; namespaceIds?: readonly number[] }) {
      requests.push(namespaceIds);
      return { namespaceIds: namespaceIds.filter((id) => granted.includes(id)) };
    },
  };
  const { allow, listMemberships } = cachingGrants(client, connection);
  const roots = async () => (await listMemberships({ userId: 1 })).rootIds;
  const may = async (...namespaceIds: number[]) =>
    (await allow({ userId: 1, action: "view", namespaceIds })).namespaceIds;
  return { allow, may, granted, requests, roots, joined };
}

it("allow requests a granted namespace once, and only the others in the next call", async () => {
  // A busy machine may stall for longer than the 250 ms of the cache.
  await eventually(async () => {
    const { may, requests } = accessTo([1, 2]);
    expect(await may(1)).toEqual([1]);
    expect(await may(3, 1, 2)).toEqual([1, 2]);
    expect(requests).toEqual([[1], [3, 2]]);
  });
});

it("allow sends a request for each user and each action", async () => {
  const { allow, requests } = accessTo([1]);
  for (const [userId, action] of [
    [1, "view"],
    [2, "view"],
    [1, "write"],
  ] as const)
    await allow({ userId, action, namespaceIds: [1] });
  expect(requests).toHaveLength(3);
});

it("equal requests at the same time share at most two calls", async () => {
  const { may, requests } = accessTo([1]);
  const all = await Promise.all(Array.from({ length: 100 }, () => may(1, 2)));
  expect(new Set(all.map(String))).toEqual(new Set(["1"]));
  expect(requests.length).toBeLessThanOrEqual(2);
});

it("allow never caches a denial, so a new right holds at once", async () => {
  const { may, granted } = accessTo([]);
  expect(await may(1)).toEqual([]);
  granted.push(1);
  expect(await may(1)).toEqual([1]);
});

it("expireGrants removes revoked rights from the caches", async () => {
  const { may, granted } = accessTo([1]);
  expect(await may(1)).toEqual([1]);
  granted.pop();
  await expireGrants(bus);
  expect(await may(1)).toEqual([]);
});

it("a revoked right expires even if the announcement is lost", async () => {
  const { may, granted } = accessTo([1], { connected: () => true, onNudge: () => undefined });
  expect(await may(1)).toEqual([1]);
  granted.pop();
  await expireGrants({ nudge: () => undefined });
  expect(await may(1)).toEqual([]);
});

it("no right outlives expireGrants, even for a part of a millisecond", async () => {
  const revoke = async () => {
    await nextTurn();
    // Timers count whole milliseconds, so those that begin at the end of one are the shortest.
    while (process.hrtime.bigint() % 1_000_000n < 900_000n);
    const { may, granted } = accessTo([1], { connected: () => true, onNudge: () => undefined });
    const before = await may(1);
    granted.pop();
    await expireGrants({ nudge: () => undefined });
    return [before, await may(1)];
  };
  for (const rights of await Promise.all(Array.from({ length: 60 }, revoke))) expect(rights).toEqual([[1], []]);
});

it("an announcement alone removes revoked rights from the caches", async () => {
  const { may, granted, requests } = accessTo([1]);
  await may(1);
  granted.pop();
  await eventually(async () => {
    bus.nudge("grants");
    expect(await may(1)).toEqual([]);
  });
  expect(requests.length).toBeGreaterThan(1);
});

it("allow caches nothing while disconnected from the bus", async () => {
  const { may, requests } = accessTo([1], { connected: () => false, onNudge: () => undefined });
  await may(1);
  await may(1);
  expect(requests).toHaveLength(2);
});

it("a membership shows once its confirmation has awaited expireGrants, in every process", async () => {
  await using other = await connectBus(names.natsUrl, names.subjectPrefix, "other", createLog("test", "silent"));
  const [here, there] = [accessTo([]), accessTo([], other)];
  for (const { roots, joined } of [here, there]) {
    expect(await roots()).toEqual([]);
    joined.push(7);
  }
  await expireGrants(bus);
  for (const { roots } of [here, there]) expect(await roots()).toEqual([7]);
});

it("memberships are requested once in a while, and each time while disconnected", async () => {
  await eventually(async () => {
    const { roots, joined } = accessTo([]);
    await roots();
    joined.push(7);
    expect(await roots()).toEqual([]);
  });
  const { roots, joined } = accessTo([], { connected: () => false, onNudge: () => undefined });
  await roots();
  joined.push(7);
  expect(await roots()).toEqual([7]);
});
