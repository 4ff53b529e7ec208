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

/** Somebody who is asked, lets the namespaces in `open` pass, and counts what was asked. */
function asked(open: number[], on: Pick<Bus, "connected" | "onNudge"> = bus) {
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

it("asks once for what is allowed, and in one call for what is not known yet", async () => {
  // It is remembered for a quarter of a second only, in which a machine may stall.
  await eventually(async () => {
    const { may, questions } = asked([1, 2]);
    expect(await may(1)).toEqual([1]);
    expect(await may(3, 1, 2)).toEqual([1, 2]);
    expect(questions).toEqual([[1], [3, 2]]);
  });
});

it("another user and another action are other questions", async () => {
  const { allow, questions } = asked([1]);
  for (const [userId, action] of [
    [1, "view"],
    [2, "view"],
    [1, "write"],
  ] as const)
    await allow({ userId, action, namespaceIds: [1] });
  expect(questions).toHaveLength(3);
});

it("never remembers a no: a new right holds at once", async () => {
  const { may, open } = asked([]);
  expect(await may(1)).toEqual([]);
  open.push(1);
  expect(await may(1)).toEqual([1]);
});

it("nobody relies on a right whose end has been told", async () => {
  const { may, open } = asked([1]);
  expect(await may(1)).toEqual([1]);
  open.pop();
  await expireGrants(bus);
  expect(await may(1)).toEqual([]);
});

it("not even when the news of it is lost", async () => {
  const { may, open } = asked([1], { connected: () => true, onNudge: () => undefined });
  expect(await may(1)).toEqual([1]);
  open.pop();
  await expireGrants({ nudge: () => undefined });
  expect(await may(1)).toEqual([]);
});

it("the news alone is enough", async () => {
  const { may, open, questions } = asked([1]);
  await may(1);
  open.pop();
  await eventually(async () => {
    bus.nudge("grants");
    expect(await may(1)).toEqual([]);
  });
  expect(questions.length).toBeGreaterThan(1);
});

it("remembers nothing while no news could come", async () => {
  const { may, questions } = asked([1], { connected: () => false, onNudge: () => undefined });
  await may(1);
  await may(1);
  expect(questions).toHaveLength(2);
});
