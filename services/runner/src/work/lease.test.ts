import { keepLease } from "./lease.js";

function queueOf() {
  let renewed = () => {};
  const asked = new Promise<void>((resolve) => {
    renewed = resolve;
  });
  const renewLease = async () => {
    renewed();
    return { kill: false };
  };
  return { queue: { renewLease } as never, asked };
}

test("a lease whose third is no whole number of milliseconds is renewed", async () => {
  const { queue, asked } = queueOf();
  const times = { leaseMs: 600_001, renewEveryMs: 300_000, claimedAt: performance.now() };
  using lease = keepLease(queue, {} as never, times);
  lease.renew();
  await asked;
});

test("a lease of a claim that took longer than a renewal may wait is renewed at once", async () => {
  const { queue, asked } = queueOf();
  const times = { leaseMs: 6_000_000, renewEveryMs: 3_000_000, claimedAt: performance.now() - 4_000_000 };
  using _lease = keepLease(queue, {} as never, times);
  await asked;
});
