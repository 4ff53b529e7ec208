import { eventually } from "@ci/testkit/eventually";
import { type Gate, gate } from "@ci/testkit/gate";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";
import { advance } from "../../src/actions/hooks/advance.js";
import type { HookDelivery } from "../../src/store/hooks/hook-deliveries.js";
import { hookContext } from "./_hook-context.js";

const names = suite();
const leaseMs = 600_000;

let slow: Gate = gate();
let git: Receiver;
let read: () => Promise<unknown> = async () => {};
beforeAll(async () => {
  git = await receiver({
    async answer({ path }) {
      await (path.includes("slow") ? slow.pass() : read());
      return { status: 404 };
    },
  });
});
afterAll(() => git[Symbol.asyncDispose]());

const asked = (project: string) => git.requests.filter(({ path }) => path.includes(project)).length;

/** Reads as many commits of a user as may be read at once, none of which ends before the gate opens, and one more. */
async function waiting(
  { ctx, repository, dueDeliveries, deliveries }: Awaited<ReturnType<typeof hookContext>>,
  name: string,
) {
  const user = 100;
  slow = gate();
  const claim = async (id: number, project: string) => {
    await repository(id, user, `${git.url}/${name}/${project}.git`);
    await dueDeliveries(id, 1, "read");
    return (await ctx.hookDeliveries.claim(`${id}/0`, leaseMs)) as HookDelivery;
  };
  for (const id of [1, 2, 3, 4]) void advance(ctx, await claim(id, "slow"));
  await eventually(() => expect(asked(`${name}/slow`)).toBe(4));
  const held = await claim(5, "next");
  const stored = async () => (await deliveries.findOne({ _id: held._id }))!;
  return { held, stored, step: advance(ctx, held) };
}

test("the lease of a delivery begins anew when its commit is read", async () => {
  await using hooks = await hookContext(names, "renewed", { hookLeaseMs: 2 * leaseMs });
  const { held, stored, step } = await waiting(hooks, "renewed");
  let during: Date | undefined;
  read = async () => {
    during = (await stored()).heldUntil;
  };
  slow.open();
  await step;
  expect(during!.getTime()).toBeGreaterThan(held.heldUntil!.getTime());
  expect(await stored()).toMatchObject({ failures: 1, reasons: ["repository could not be read: 404"] });
  expect(await stored()).not.toHaveProperty("heldUntil");
});

test("a delivery that another process has claimed meanwhile is not read", async () => {
  await using hooks = await hookContext(names, "lost", { hookLeaseMs: leaseMs });
  const { held, stored, step } = await waiting(hooks, "lost");
  const heldUntil = new Date(held.heldUntil!.getTime() + 1);
  await hooks.deliveries.updateOne({ _id: held._id }, { $set: { heldUntil } });
  slow.open();
  await step;
  expect(asked("lost/next")).toBe(0);
  expect(await stored()).toMatchObject({ heldUntil, failures: 0 });
});

test.each([200, 201])(
  "a delivery whose turn does not come within half of its lease of %i ms is given back, and counts as no crash",
  async (hookLeaseMs) => {
    const name = `late${hookLeaseMs}`;
    await using hooks = await hookContext(names, name, { hookLeaseMs });
    const { held, stored, step } = await waiting(hooks, name);
    await step;
    expect(asked(`${name}/next`)).toBe(0);
    for (const field of ["heldUntil", "lost"]) expect(await stored()).not.toHaveProperty(field);
    expect((await stored()).dueAt!.getTime()).toBeLessThan(held.dueAt!.getTime());
    slow.open();
  },
);
