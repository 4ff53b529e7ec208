import { keepLease } from "./lease.js";

test("a lease whose third is no whole number of milliseconds is renewed", async () => {
  let renewed = () => {};
  const asked = new Promise<void>((resolve) => {
    renewed = resolve;
  });
  const renewLease = async () => {
    renewed();
    return { kill: false };
  };
  const times = { leaseMs: 600_001, renewEveryMs: 300_000, claimedAt: performance.now() };
  using lease = keepLease({ renewLease } as never, {} as never, times);
  lease.renew();
  await asked;
});
