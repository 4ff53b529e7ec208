import { consumerLeases } from "./leases.js";

/** Returns a lease that can be taken while `free` is true. */
function fakeLease() {
  const lease = { free: true, taken: 0, released: 0 };
  const take = async () => {
    if (lease.free) lease.taken++;
    return lease.free;
  };
  return { state: lease, take, release: async () => void lease.released++ };
}

test("the stream's lease is taken only while this process has the lease on deliveries", async () => {
  const [first, second] = [fakeLease(), fakeLease()];
  const { deliveries, stream } = consumerLeases(first, second, () => undefined);
  expect(await stream.take(1)).toBe(false);
  expect([await deliveries.take(1), await stream.take(1)]).toEqual([true, true]);
  first.state.free = false;
  expect([await deliveries.take(1), await stream.take(1)]).toEqual([false, false]);
  first.state.free = true;
  await deliveries.take(1);
  await deliveries.release();
  expect(await stream.take(1)).toBe(false);
  expect([first.state.released, second.state.taken]).toEqual([1, 1]);
});

test("a lease on deliveries that cannot be renewed gives up the stream's lease", async () => {
  const first = fakeLease();
  let reachable = true;
  const flaky = {
    ...first,
    take: async () => {
      if (!reachable) throw new Error("no database");
      return true;
    },
  };
  const { deliveries, stream } = consumerLeases(flaky, fakeLease(), () => undefined);
  await deliveries.take(1);
  reachable = false;
  await expect(deliveries.take(1)).rejects.toThrow("no database");
  expect(await stream.take(1)).toBe(false);
});

test("it says until when the stream's lease can be trusted", async () => {
  const [first, second] = [fakeLease(), fakeLease()];
  const held: number[] = [];
  const { deliveries, stream } = consumerLeases(first, second, (untilMs) => held.push(untilMs));
  await deliveries.take(1);
  await stream.take(10_000_000);
  second.state.free = false;
  await stream.take(10_000_000);
  second.state.free = true;
  await stream.take(10_000_000);
  await stream.release();
  const now = performance.now();
  expect(held.map((untilMs) => (untilMs > now ? "held" : untilMs))).toEqual(["held", 0, "held", 0]);
  expect(Math.max(...held)).toBeLessThanOrEqual(now + 10_000_000 - 1_000);
});
