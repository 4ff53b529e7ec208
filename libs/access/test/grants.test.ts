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

/** A client that allows the namespaces in `open` and records the questions. */
function accessTo(open: number[], on: Pick<Bus, "connected" | "onNudge"> = bus) {
  const questions: (readonly number[])[] = [];
  const client = {
    async allow({ namespaceIds = [] }: { userId?: number; action?: string; namespaceIds?: readonly number[] }) {
      questions.push(namespaceIds);
      return { namespaceIds: namespaceIds.filter((id) => open.includes(id)) };
    },
  };
  const { allow } = cachingGrants(client, on);
  const may = async (...namespaceIds: number[]) =>
    (await allow({ userId: 1, action: "view", namespaceIds })).namespaceIds;
  return { allow, may, open, questions };
}

it("asks once about what is allowed, and in one call about the rest", async () => {
  // Answers are cached for a quarter of a second only, in which a machine may stall.
  await eventually(async () => {
    const { may, questions } = accessTo([1, 2]);
    expect(await may(1)).toEqual([1]);
    expect(await may(3, 1, 2)).toEqual([1, 2]);
    expect(questions).toEqual([[1], [3, 2]]);
  });
});

it("asks again for another user or another action", async () => {
  const { allow, questions } = accessTo([1]);
  for (const [userId, action] of [
    [1, "view"],
    [2, "view"],
    [1, "write"],
  ] as const)
    await allow({ userId, action, namespaceIds: [1] });
  expect(questions).toHaveLength(3);
});

it("never caches a denial: a new right holds at once", async () => {
  const { may, open } = accessTo([]);
  expect(await may(1)).toEqual([]);
  open.push(1);
  expect(await may(1)).toEqual([1]);
});

it("forgets a right once its end is announced", async () => {
  const { may, open } = accessTo([1]);
  expect(await may(1)).toEqual([1]);
  open.pop();
  await expireGrants(bus);
  expect(await may(1)).toEqual([]);
});

it("forgets a revoked right even if the announcement is lost", async () => {
  const { may, open } = accessTo([1], { connected: () => true, onNudge: () => undefined });
  expect(await may(1)).toEqual([1]);
  open.pop();
  await expireGrants({ nudge: () => undefined });
  expect(await may(1)).toEqual([]);
});

it("the announcement alone is enough", async () => {
  const { may, open, questions } = accessTo([1]);
  await may(1);
  open.pop();
  await eventually(async () => {
    bus.nudge("grants");
    expect(await may(1)).toEqual([]);
  });
  expect(questions.length).toBeGreaterThan(1);
});

it("caches nothing while disconnected from the bus", async () => {
  const { may, questions } = accessTo([1], { connected: () => false, onNudge: () => undefined });
  await may(1);
  await may(1);
  expect(questions).toHaveLength(2);
});
