import { expireGrants } from "@ci/access/grants";
import { type Bus, connectBus } from "@ci/kit/bus/bus";
import { createLog } from "@ci/kit/process/log";
import { suite } from "@ci/testkit/suite";
import { tailOver } from "../src/tail.js";

const names = suite();
const never = new AbortController().signal;
/** Longer than any test may take. */
const longMs = 600_000;
let here: Bus;
let there: Bus;
beforeAll(async () => {
  const connected = () => connectBus(names.natsUrl, names.subjectPrefix, "test", createLog("test", "silent"));
  [here, there] = [await connected(), await connected()];
});
afterAll(async () => {
  await here[Symbol.asyncDispose]();
  await there[Symbol.asyncDispose]();
});

test("who watches hears what any replica tells of that namespace", async () => {
  const [tail, other] = [tailOver(here), tailOver(there)];
  using watch = tail.watch(1);
  using quiet = tail.watch(2);
  let woken = false;
  const leaving = new AbortController();
  void quiet.news(longMs, leaving.signal).then(() => {
    woken = true;
  });
  // Asked again and again, for the subscription may come after the first word.
  const telling = setInterval(() => other.tell([7, 1]), 20);
  await watch.news(longMs, never);
  clearInterval(telling);
  expect(woken).toBe(false);
  leaving.abort();
});

test("news that came before they were waited for count, once", async () => {
  const tail = tailOver(here);
  using watch = tail.watch(1);
  using other = tail.watch(1);
  const waited = other.news(longMs, never);
  const telling = setInterval(() => tail.tell([1]), 20);
  await waited;
  clearInterval(telling);
  await watch.news(longMs, never);
  const leaving = new AbortController();
  const left = watch.news(longMs, leaving.signal);
  leaving.abort();
  await left;
});

test("everybody hears when a right has ended", async () => {
  using watch = tailOver(here).watch(1);
  const heard = watch.news(longMs, never);
  // Again and again here, too.
  const ending = setInterval(() => void expireGrants(there), 20);
  await heard;
  clearInterval(ending);
});

test("without news the wait ends by itself", async () => {
  using watch = tailOver(here).watch(1);
  await watch.news(20, never);
});
