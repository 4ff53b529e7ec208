import { type Deleted, followingDeletions } from "../src/follow-deletions.js";

const minuteMs = 60_000;
const at = (minute: number) => new Date(minute * minuteMs);
const deletion = (id: number, minute: number): Deleted => ({ kind: "user", id, at: at(minute), unpublished: false });

/** Returns a list of deletions in pages of two, and what a follower has done with it. */
function aList(...deletions: Deleted[]) {
  const list = {
    deletions,
    minute: 100,
    left: [] as number[],
    requests: [] as { since?: Date | undefined; after?: Deleted | undefined }[],
    learned: [] as number[],
    next: 0,
    pass: undefined as never as () => Promise<number>,
  };
  const client = {
    async listDeletions(request: (typeof list.requests)[number]) {
      list.requests.push(request);
      const { since = at(0), after } = request;
      const start = after ? list.deletions.findIndex(({ id }) => id === after.id) + 1 : 0;
      const found = list.deletions.slice(start).filter((one) => after || one.at! >= since);
      return { deletions: found.slice(0, 2), hasNext: found.length > 2, readAt: at(list.minute) };
    },
  };
  const learn = async (found: readonly Deleted[]) => {
    list.learned.push(...found.map(({ id }) => id));
    return found.filter(({ id }) => list.left.includes(id));
  };
  list.pass = followingDeletions(client, learn, () => list.next++);
  return list;
}

it("the first round reads all pages, and later ones only from ten minutes before the previous round on", async () => {
  const list = aList(deletion(1, 10), deletion(2, 95), deletion(3, 99));
  await list.pass();
  expect(list.next).toBe(1);
  // The second page is read late. What is stored meanwhile may be older than that.
  list.minute = 200;
  await list.pass();
  expect(list).toMatchObject({ next: 1, learned: [1, 2, 3] });
  await list.pass();
  expect(list.requests.at(-1)).toEqual({ since: at(90) });
  expect(list.learned).toEqual([1, 2, 3, 2, 3]);
  await list.pass();
  expect(list.requests.at(-1)).toEqual({ since: at(190) });
});

it("deletions that are left for later are read again in every round", async () => {
  const list = aList(deletion(1, 10), deletion(2, 20), deletion(3, 30));
  list.left = [2];
  for (let times = 0; times < 3; times++) await list.pass();
  expect(list.requests.at(-1)).toEqual({ since: at(20) });
  list.left = [];
  await list.pass();
  expect(list.requests.at(-1)).toEqual({ since: at(20) });
  expect(list.learned).toEqual([1, 2, 3, 2, 3, 2, 3]);
  await list.pass();
  expect(list.requests.at(-1)).toEqual({ since: at(90) });
});

it("a round continues after a failed pass where it was", async () => {
  const list = aList(deletion(1, 10), deletion(2, 20), deletion(3, 30));
  const { deletions } = list;
  await list.pass();
  list.deletions = undefined as never;
  await expect(list.pass()).rejects.toThrow();
  list.deletions = deletions;
  await list.pass();
  expect(list.learned).toEqual([1, 2, 3]);
});
