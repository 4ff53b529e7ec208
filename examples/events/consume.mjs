// Prints one line for each event, and says when an event of a build is missing.
//
//   NATS_URL=nats://127.0.0.1:4222 node examples/events/consume.mjs my-team 'build.*'
//
// The first argument is the consumer's name: a consumer continues where it stopped under the same name. The second one
// selects kinds. docs/events/README.md explains the rest.
import { AckPolicy, connect, DeliverPolicy } from "nats";

const [name = "example", kinds = ">"] = process.argv.slice(2);
const prefix = process.env.SUBJECT_PREFIX ?? "ci";
const stream = `${prefix.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_EVENTS`;

const { host, protocol, searchParams, username, password } = new URL(process.env.NATS_URL ?? "nats://127.0.0.1:4222");
const user = username === "" ? {} : { user: username, pass: decodeURIComponent(password) };
// tls://host/?tlsCAFile=ca.crt trusts this authority. Without it, those of the system.
const tls = protocol === "tls:" ? { tls: { caFile: searchParams.get("tlsCAFile") ?? undefined } } : {};
const nats = await connect({ servers: host, ...user, ...tls, maxReconnectAttempts: -1 });
const manager = await nats.jetstreamManager();
await manager.consumers.add(stream, {
  durable_name: name,
  filter_subject: `${prefix}.events.${kinds}`,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  // One at a time: later events never overtake one that has to be repeated.
  max_ack_pending: 1,
});
const consumer = await nats.jetstream().consumers.get(stream, name);
const messages = await consumer.consume();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => messages.close());

/** The last number of each build. A real consumer stores these and the ids together with its results. */
const numbers = new Map();
const ids = new Set();
const forgetOldest = (kept) => kept.size > 100_000 && kept.delete(kept.keys().next().value);

/** Says whether an event is new, and how many are missing before it. */
function place({ id, buildId, seq }) {
  if (ids.has(id)) return "again";
  ids.add(id);
  forgetOldest(ids);
  if (buildId === undefined) return "new";
  const last = numbers.get(buildId);
  numbers.set(buildId, Math.max(seq, last ?? 0));
  forgetOldest(numbers);
  // Events before the first one that we see of a build may be too old for the stream.
  return last === undefined || seq <= last + 1 ? "new" : `new, but ${seq - last - 1} missing before it`;
}

for await (const message of messages) {
  const event = message.json();
  const about = event.buildId === undefined ? "" : ` build ${event.buildId} seq ${event.seq}`;
  console.log(`${message.info.streamSequence} ${event.at} ${event.kind}${about} (${place(event)})`);
  // Acknowledge last: if the consumer dies earlier, it gets the event again.
  await message.ackAck();
}
await nats.close();
