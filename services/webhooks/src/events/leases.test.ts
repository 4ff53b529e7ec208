import { announcing, sharedLease } from "./leases.js";

/** Returns a lease that can be taken while `free` is true, and lapses at will. */
function fakeLease() {
  const state = { free: true, held: false, terms: 0, taken: 0, released: 0 };
  return {
    state,
    async take() {
      state.taken++;
      if (state.free && !state.held) state.terms++;
      state.held = state.free;
      return state.free;
    },
    term: () => (state.held ? state.terms : undefined),
    async release() {
      state.held = false;
      state.released++;
    },
  };
}

function shared() {
  const [lease, earlier] = [fakeLease(), fakeLease()];
  return { lease: lease.state, earlier: earlier.state, ...sharedLease(lease, earlier) };
}

test("the stream is recorded only in a term in which deliveries are, without a renewal of its own", async () => {
  const { lease, earlier, deliveries, stream } = shared();
  expect(await stream.take(1)).toBe(false);
  expect(await deliveries.take(1)).toBe(true);
  expect([deliveries.term(), stream.term()]).toEqual([1, undefined]);
  for (let renewal = 0; renewal < 3; renewal++) expect(await stream.take(1)).toBe(true);
  expect([lease.taken, earlier.taken, stream.term()]).toEqual([1, 1, 1]);
  lease.free = false;
  expect([await deliveries.take(1), await stream.take(1)]).toEqual([false, false]);
  expect([deliveries.term(), stream.term()]).toEqual([undefined, undefined]);
  lease.free = true;
  await deliveries.take(1);
  expect([deliveries.term(), stream.term()]).toEqual([2, 2]);
});

test("the lease is released after both readers have ended", async () => {
  const { lease, earlier, deliveries, stream } = shared();
  await deliveries.take(1);
  await stream.take(1);
  await deliveries.release();
  expect([deliveries.term(), stream.term(), lease.released]).toEqual([undefined, 1, 0]);
  await stream.release();
  expect([stream.term(), lease.released, earlier.released]).toEqual([undefined, 1, 1]);
  await deliveries.take(1);
  await deliveries.release();
  expect(lease.released).toBe(2);
});

test("a reader of the stream waits while an earlier version records it", async () => {
  const { earlier, deliveries, stream } = shared();
  earlier.free = false;
  await deliveries.take(1);
  expect([await stream.take(1), stream.term()]).toEqual([false, undefined]);
  earlier.free = true;
  expect([await stream.take(1), stream.term()]).toEqual([true, 1]);
});

test("each term is announced once, when it begins", async () => {
  const lease = fakeLease();
  const terms: (number | undefined)[] = [];
  const announced = announcing(lease, () => terms.push(lease.term()));
  for (let renewal = 0; renewal < 2; renewal++) await announced.take(1);
  lease.state.free = false;
  await announced.take(1);
  lease.state.free = true;
  await announced.take(1);
  expect(terms).toEqual([1, 2]);
});
