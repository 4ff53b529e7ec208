import { eventually } from "@ci/testkit/eventually";
import { presenceIn } from "./presence.js";

test("a process that cannot say that it lives is no longer sure, and is told so", async () => {
  let reachable = true;
  let lapses = 0;
  const senders = {
    async keep() {
      if (!reachable) throw new Error("no database");
    },
    isGone: async () => false,
    forget: async () => undefined,
  };
  await using presence = await presenceIn(senders, () => lapses++);
  expect([presence.sure(), lapses]).toEqual([true, 0]);
  reachable = false;
  await expect(presence.beat()).rejects.toThrow("no database");
  await eventually(() => expect([presence.sure(), lapses]).toEqual([false, 1]));
  reachable = true;
  await presence.beat();
  expect(presence.sure()).toBe(true);
});
