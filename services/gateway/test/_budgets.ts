import type { Cost } from "./_counted.js";

/**
 * The most that one operation may cost on an idle system: commands to MongoDB by the service that sends them, calls by the
 * service that serves them, and events in JetStream. What services do as time passes, such as renewals, is not included.
 * Lower a number whenever you can. Raise one only with a reason in docs/decisions.md.
 */
export const budgets = {
  "POST /builds": { commands: { builds: 8, namespaces: 3 }, calls: { builds: 1, namespaces: 2 }, events: 1 },
  "GET /b/:user/:number, finished": { commands: { builds: 1 }, calls: { builds: 1 }, events: 0 },
  "GET /b/:user/:number/output as a stream, finished": {
    commands: { builds: 1 },
    calls: { builds: 1 },
    events: 0,
  },
  "GET /builds, 25 finished": {
    commands: { builds: 1, namespaces: 1 },
    calls: { builds: 1, namespaces: 1 },
    events: 0,
  },
  "GET /builds, 25 queued": {
    commands: { builds: 5, namespaces: 1 },
    calls: { builds: 1, namespaces: 1 },
    events: 0,
  },
  "GET /namespaces, 25 with builds": {
    commands: { builds: 1, namespaces: 2 },
    calls: { builds: 1, namespaces: 1 },
    events: 0,
  },
  // On a busy machine no job ends at once, so the end of create-driver is reported alone: one less of each without that.
  "a build of the os driver, from POST to passed": {
    commands: { builds: 14, namespaces: 3 },
    calls: { builds: 4, namespaces: 2 },
    events: 3,
  },
  // On a busy machine the webhooks service may look twice more for an event that is being stored: 10 without that.
  "a pinned build, from PATCH to the delivery at one webhook": {
    commands: { builds: 3, namespaces: 5, webhooks: 12 },
    calls: { builds: 1, namespaces: 4 },
    events: 1,
  },
} as const satisfies Readonly<Record<string, Cost>>;

export type Operation = keyof typeof budgets;
