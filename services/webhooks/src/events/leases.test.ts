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
  const { deliveries, stream } = consumerLeases(first, second);
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
  const { deliveries, stream } = consumerLeases(flaky, fakeLease());
  await deliveries.take(1);
  reachable = false;
  await expect(deliveries.take(1)).rejects.toThrow("no database");
  expect(await stream.take(1)).toBe(false);
});
