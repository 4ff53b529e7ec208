import { followedUsers } from "./followed.js";

function aWorld() {
  const state = {
    term: 1 as number | undefined,
    all: [1],
    waiting: [] as number[],
    admitted: [] as number[],
    reads: 0,
  };
  const followers = {
    all: async () => {
      state.reads++;
      return state.all;
    },
    waiting: async () => state.waiting,
    admit: async (ids: readonly number[]) => void state.admitted.push(...ids),
  };
  return { state, followed: followedUsers(followers, { term: () => state.term }) };
}

test("followers are read once in a term, and again in the next", async () => {
  const { state, followed } = aWorld();
  expect([await followed.has(1), await followed.has(2)]).toEqual([true, false]);
  // Another process recorded meanwhile, and confirmed a follower.
  state.all = [1, 2];
  expect([await followed.has(2), state.reads]).toEqual([false, 1]);
  state.term = 2;
  expect([await followed.has(2), state.reads]).toEqual([true, 2]);
});

test("only the process that records admits followers, and knows them from then on", async () => {
  const { state, followed } = aWorld();
  state.waiting = [3];
  state.term = undefined;
  expect([await followed.admit(), state.admitted]).toEqual([[], []]);
  state.term = 1;
  expect([await followed.admit(), state.admitted, await followed.has(3)]).toEqual([[3], [3], true]);
});
