import type { ServiceName } from "../rpc/callers.js";
import { streamName } from "./jetstream.js";
import { type Rights, readers, readersOf, rights, usesStream } from "./rights.js";

/** The subjects that a service may use. */
interface Subjects {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The parts of an installation that the subjects depend on. `drivers` are those of its runners. */
export interface Installation {
  readonly prefix: string;
  readonly drivers: readonly string[];
}

/** Answers to a service come here, so that no other service can read them. */
export const inboxOf = (service: string): string => `_INBOX.${service}`;

/** JetStream's subjects for publishers and readers, and for the service that keeps the stream. */
function streamSubjects(service: ServiceName, prefix: string): string[] {
  if (!usesStream(service)) return [];
  const stream = streamName(prefix);
  const api = (call: string, ...names: string[]) => ["$JS.API", call, stream, ...names].join(".");
  const reading = readersOf(service).flatMap((reader) => [
    api("CONSUMER.INFO", reader),
    api("CONSUMER.MSG.NEXT", reader),
    `$JS.ACK.${stream}.${reader}.>`,
  ]);
  const ofKeeper = [
    ...["STREAM.CREATE", "STREAM.UPDATE", "STREAM.PURGE", "CONSUMER.LIST"].map((call) => api(call)),
    ...Object.keys(readers).flatMap((name) => [api("CONSUMER.DURABLE.CREATE", name), api("CONSUMER.INFO", name)]),
    // A passing consumer without a name finds the place of a time in the stream.
    api("CONSUMER.CREATE"),
    api("CONSUMER.DELETE", "*"),
  ];
  const keeping = rights[service].keepsStream ? ofKeeper : [];
  return ["$JS.API.INFO", api("STREAM.INFO"), ...reading, ...keeping];
}

export function subjectsOf(service: ServiceName, { prefix, drivers }: Installation): Subjects {
  const { publishes = [], listens = [], nudges = [], wakesOn = [] }: Rights = rights[service];
  const events = (kinds: readonly string[]) => kinds.map((kind) => `${prefix}.events.${kind}`);
  const topics = (names: readonly string[]) => names.map((name) => `${prefix}.nudge.${name}`);
  const queues = service === "runner" ? drivers.map((driver) => `queue.${driver}`) : [];
  return {
    publish: [...events(publishes), ...topics(nudges), ...streamSubjects(service, prefix)],
    subscribe: [`${inboxOf(service)}.>`, ...events(listens), ...topics([...wakesOn, ...queues])],
  };
}

/** An empty list would allow everything. */
const permission = (subjects: readonly string[]) => (subjects.length > 0 ? { allow: subjects } : { deny: [">"] });

/**
 * Returns the part of nats-server's configuration with one user for each service, and with the operator's user `ci`, which
 * has all rights. `passwordOf` returns a password, or the name of its environment variable after a `$`.
 */
export function natsUsers(at: Installation, passwordOf: (user: ServiceName | "ci") => string): string {
  const line = (user: ServiceName | "ci", more = "") => {
    const password = passwordOf(user);
    return `    { user: ${user}, password: ${password.startsWith("$") ? password : JSON.stringify(password)}${more} }`;
  };
  const services = Object.keys(rights).map((name) => {
    const service = name as ServiceName;
    const { publish, subscribe } = subjectsOf(service, at);
    const permissions = { publish: permission(publish), subscribe: permission(subscribe) };
    return line(service, `, permissions: ${JSON.stringify(permissions)}`);
  });
  return `authorization {\n  users: [\n${[line("ci"), ...services].join("\n")}\n  ]\n}\n`;
}
