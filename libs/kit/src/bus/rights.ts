import type { ServiceName } from "../rpc/callers.js";

/** What a service may do on NATS. Everything else is denied. */
export interface Rights {
  /** Kinds of events that it publishes. Each kind has one publisher. */
  readonly publishes?: readonly string[];
  /** Kinds of events that it hears as they happen, without the stream. */
  readonly listens?: readonly string[];
  /** Topics of nudges that it sends and receives. NATS does not echo those of a service that `skipsOwnNudges`. */
  readonly nudges?: readonly string[];
  readonly wakesOn?: readonly string[];
  readonly skipsOwnNudges?: boolean;
  /** Whether it creates the stream and its readers, and removes old events. Only one service does. */
  readonly keepsStream?: boolean;
}

/** A place in the stream. */
interface ReaderRights {
  readonly service: ServiceName;
  readonly kinds: readonly string[];
  /** Whether events are handled in batches. */
  readonly batched: boolean;
}

const buildEvents = ["submitted", "started", "finished", "tagged", "pinned", "unpinned"].map((name) => `build.${name}`);
const invites = ["invite.sent", "invite.accepted", "invite.rejected"];
const ofNamespaces = [...invites, "namespaces", "objects", "variables", "ssh_keys"];
/** Events with these kinds never leave the installation. */
const internal = ["users", "tokens", "collaborators"];
const publicKinds = [...buildEvents, "cron", "images", ...ofNamespaces];

export const rights: Readonly<Record<ServiceName, Rights>> = {
  gateway: { listens: ["namespaces", "tokens", "users"], wakesOn: ["grants"] },
  namespaces: { publishes: [...ofNamespaces, ...internal], nudges: ["grants"], keepsStream: true },
  builds: {
    publishes: [...buildEvents, "cron"],
    nudges: ["queue.*", "kill.*", "output.*"],
    wakesOn: ["output.*", "grants"],
    skipsOwnNudges: true,
  },
  images: { publishes: ["images"], nudges: ["downloads"], wakesOn: ["downloads", "grants"] },
  webhooks: {
    listens: ["users", "namespaces"],
    nudges: ["webhooks.lane", "webhooks.test", "webhooks.replay", "stream"],
    wakesOn: ["webhooks.lane", "webhooks.test", "webhooks.replay", "stream", "grants"],
  },
  runner: { wakesOn: ["kill.*"] },
};

/** The services' readers of the stream, by name. */
export const readers = {
  builds: { service: "builds", kinds: ["namespaces", "users"], batched: false },
  images: { service: "images", kinds: ["namespaces"], batched: false },
  webhooks: { service: "webhooks", kinds: [...publicKinds, "users"], batched: true },
  departures: { service: "webhooks", kinds: ["collaborators"], batched: false },
  "event-stream": { service: "webhooks", kinds: publicKinds, batched: true },
} as const satisfies Readonly<Record<string, ReaderRights>>;

export const readersOf = (service: string): string[] =>
  Object.entries(readers).flatMap(([name, reader]) => (reader.service === service ? [name] : []));

const rightsOf = (service: string) => (rights as Readonly<Record<string, Rights | undefined>>)[service];

export const skipsOwnNudges = (service: string): boolean => rightsOf(service)?.skipsOwnNudges === true;

/** Reports whether a process may use the stream. Names that the table does not have are those of operators' programs. */
export function usesStream(service: string): boolean {
  const own = rightsOf(service);
  return !own || own.keepsStream === true || own.publishes !== undefined || readersOf(service).length > 0;
}
