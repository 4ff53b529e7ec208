import { eventually } from "@ci/testkit/eventually";
import { startHeartbeat } from "./heartbeat.js";

test("a heartbeat that cannot be renewed lapses, and is current again after the next renewal", async () => {
  let reachable = true;
  let lapses = 0;
  const senders = {
    async renew() {
      if (!reachable) throw new Error("no database");
    },
    isDead: async () => false,
    remove: async () => undefined,
  };
  await using heartbeat = await startHeartbeat(senders, 4_000, () => lapses++);
  expect([heartbeat.isCurrent(), lapses]).toEqual([true, 0]);
  reachable = false;
  await expect(heartbeat.beat()).rejects.toThrow("no database");
  await eventually(() => expect([heartbeat.isCurrent(), lapses]).toEqual([false, 1]));
  reachable = true;
  await heartbeat.beat();
  expect(heartbeat.isCurrent()).toBe(true);
});
