// The innocent user during an attack: a separate process, so that the attacker's work does not delay its clock.
import { setTimeout as pause } from "node:timers/promises";
import { clientOf } from "./client.mjs";
import { queuedManifest } from "./manifests.mjs";
import { meter } from "./meter.mjs";

const [url, token] = process.argv.slice(2);
const user = clientOf(url, token);
const { measure, fail, failures, figures } = meter();
const pauseMs = 100;
/** Requests that are not counted, while V8 compiles code. */
const warmUp = 60;
const paths = ["/user", "/builds", "/namespaces"];
let stopping = false;

const submit = () => user.post("/builds", { manifest: queuedManifest });
const read = (/** @type {number} */ nth) => user.get(paths[nth % paths.length]);

const work = async () => {
  for (let nth = 0; !stopping; nth++) {
    if (nth % 10 === 0) await measure("POST /builds", submit);
    else await measure(`GET ${paths[nth % paths.length]}`, () => read(nth));
    await pause(pauseMs);
  }
  const { requests, refused, p99Ms, maxMs, slowest } = figures();
  if (refused > 0) fail(`${refused} requests of the innocent user were refused`);
  process.send?.({ requests, p99Ms, maxMs, slowest, failures: failures() });
};

process.once("message", () => {
  stopping = true;
});
process.once("disconnect", () => process.exit());
for (let nth = 0; nth < warmUp; nth++) await (nth % 3 === 0 ? submit() : read(nth));
process.send?.("ready");
await work();
