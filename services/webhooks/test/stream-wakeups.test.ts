import { expireGrants } from "@ci/access/grants";
import { type Bus, connectBus } from "@ci/kit/bus/bus";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { streamWakeups } from "../src/streams/wakeups.js";

const names = suite();
const never = new AbortController().signal;
/** Longer than a test may take. */
const longMs = 600_000;
let bus: Bus;
let remoteBus: Bus;
beforeAll(async () => {
  const connected = () => connectBus(names.natsUrl, names.subjectPrefix, "test", createLog("test", "silent"));
  [bus, remoteBus] = [await connected(), await connected()];
});
afterAll(async () => {
  await bus[Symbol.asyncDispose]();
  await remoteBus[Symbol.asyncDispose]();
});

/** A bus of one process, which loses and delays nothing. */
function localBus(): Pick<Bus, "nudge" | "onNudge"> {
  const listeners = new Map<string, (text: string, topic: string) => void>();
  return {
    nudge: (topic, text = "") => listeners.get(topic)?.(text, topic),
    onNudge: (topic, listener) => void listeners.set(topic, listener),
  };
}

test("a watcher wakes up when any replica announces records of its namespace, and only then", async () => {
  const [wakeups, remote] = [streamWakeups(bus), streamWakeups(remoteBus)];
  using watch = wakeups.watch(["1"]);
  using quiet = wakeups.watch(["2"]);
  let woken = false;
  const leaving = new AbortController();
  void quiet.wokenUp(longMs, leaving.signal).then(() => {
    woken = true;
  });
  // Repeated, because the subscription may begin after the first message.
  const waking = setInterval(() => remote.wake(["7", "1"]), 20);
  await watch.wokenUp(longMs, never);
  clearInterval(waking);
  expect(woken).toBe(false);
  leaving.abort();
});

test("a wake-up before the wait ends one wait", async () => {
  const wakeups = streamWakeups(localBus());
  using watch = wakeups.watch(["1"]);
  wakeups.wake(["1"]);
  expect(await watch.wokenUp(longMs, never)).toBe(true);
  expect(await watch.wokenUp(20, never)).toBe(false);
});

test("every watcher wakes up when a permission is revoked", async () => {
  using watch = streamWakeups(bus).watch(["1"]);
  const wokenUp = watch.wokenUp(longMs, never);
  const revoking = setInterval(() => void expireGrants(remoteBus), 20);
  await wokenUp;
  clearInterval(revoking);
});

test("however many permissions change, all watchers wake up once, and once more for what changed meanwhile", async () => {
  const local = localBus();
  using watch = streamWakeups(local).watch([]);
  const leaving = new AbortController();
  let wakes = 0;
  const counting = (async () => {
    while (await watch.wokenUp(longMs, leaving.signal)) wakes++;
  })();
  for (let n = 0; n < 50; n++) local.nudge("grants");
  await eventually(() => expect(wakes).toBeGreaterThanOrEqual(2));
  local.nudge("grants");
  await eventually(() => expect(wakes).toBeGreaterThanOrEqual(3));
  leaving.abort();
  await counting;
  expect(wakes).toBe(3);
});

test("watchers rest for a second after each change of a permission, whenever the next one follows", async () => {
  const local = localBus();
  using watch = streamWakeups(local).watch([]);
  const changed = async () => {
    local.nudge("grants");
    await watch.wokenUp(longMs, never);
    return performance.now();
  };
  const first = await changed();
  expect((await changed()) - first).toBeGreaterThanOrEqual(990);
});

test("a watcher wakes up for the keys that it follows now, and for no others", async () => {
  const wakeups = streamWakeups(bus);
  using watch = wakeups.watch(["u1", "r2"]);
  watch.follow(["u1", "r3"]);
  const heard = new Promise<void>((resolve) => wakeups.on("heard", resolve));
  const waking = setInterval(() => wakeups.wake(["r2", "heard"]), 20);
  await heard;
  expect(await watch.wokenUp(0, never)).toBe(false);
  clearInterval(waking);
  const wakingFollowed = setInterval(() => wakeups.wake(["r3"]), 20);
  expect(await watch.wokenUp(longMs, never)).toBe(true);
  clearInterval(wakingFollowed);
});
