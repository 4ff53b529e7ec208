import { collectEvents } from "@ci/testkit/collect-events";
import { eventually } from "@ci/testkit/eventually";
import { type ServiceName, startProcesses } from "@ci/testkit/processes";
import type { Suite } from "@ci/testkit/suite";

type Counts = Readonly<Record<string, number>>;

/** What one operation cost. */
export interface Cost {
  /** Commands that each service sent to MongoDB. */
  readonly commands: Counts;
  /** Calls that each service served. */
  readonly calls: Counts;
  /** Events that services stored in JetStream. */
  readonly events: number;
}

interface Line {
  readonly service: ServiceName;
  readonly msg: string;
  readonly loop?: string;
  readonly command?: string;
  readonly collection?: string;
  readonly method?: string;
}

const services: readonly ServiceName[] = ["builds", "namespaces", "webhooks", "images"];
/** What happens by the clock in between makes a run cost more, but hardly every run. */
const runs = 3;
/** Longer than services remember what they only remember for a second. */
const quietMs = 1_100;

/** A client looks for other replicas from time to time. */
const carriesCalls = (method = "") => method.endsWith("/CarryCalls");

/** Reports whether a line tells of what happens as time passes: passes of loops, leases, checks of health and such. */
const isByTheClock = ({ loop, collection, command, method }: Line) =>
  loop !== undefined || collection === "leases" || command === "ping" || command === "hello" || carriesCalls(method);

const isCounted = (line: Line) => (line.msg === "call" || line.msg === "mongo command") && !isByTheClock(line);

const nameOf = ({ command, collection, method }: Line) => method ?? `${command} ${collection}`;

function countBy<T>(all: readonly T[], keyOf: (one: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of all) counts[keyOf(one)] = (counts[keyOf(one)] ?? 0) + 1;
  return counts;
}

/** Returns the least count of each name. */
function least(all: readonly Counts[]): Counts {
  const names = [...new Set(all.flatMap((one) => Object.keys(one)))].sort();
  return Object.fromEntries(names.map((name) => [name, Math.min(...all.map((one) => one[name] ?? 0))]));
}

/** Returns what exceeds a budget, in words. */
export function beyond(budget: Cost, { commands, calls, events }: Cost): string[] {
  const parts = [
    ["commands", budget.commands, commands],
    ["calls", budget.calls, calls],
    ["events", { all: budget.events }, { all: events }],
  ] as const;
  return parts.flatMap(([what, most, counts]: readonly [string, Counts, Counts]) =>
    Object.entries(counts)
      .filter(([name, count]) => count > (most[name] ?? 0))
      .map(([name, count]) => `${what}: ${count} instead of ${most[name] ?? 0} (${name})`),
  );
}

/** All services as processes that log each call and each command. */
export async function startCounted(names: Suite) {
  const ci = await startProcesses(names, { LOG_LEVEL: "debug" });
  const { events, ...collector } = await collectEvents(names);

  const linesSince = (from: Counts): Line[] =>
    services.flatMap((name) =>
      ci
        .logs(name)
        .slice(from[name] ?? 0)
        .split("\n")
        .filter((line) => line.endsWith("}"))
        .map((line) => JSON.parse(line) as Line)
        .filter(isCounted),
    );
  const ends = () => Object.fromEntries(services.map((name) => [name, ci.logs(name).length]));

  /** Resolves when nothing has been counted for a while. */
  async function quiet(from: Counts): Promise<void> {
    let [count, since] = [-1, 0];
    await eventually(() => {
      const now = linesSince(from).length;
      if (now !== count) [count, since] = [now, performance.now()];
      if (performance.now() - since < quietMs) throw new Error(`still busy: ${count} lines`);
    });
  }

  async function once(work: () => Promise<unknown>) {
    await quiet(ends());
    // The token is looked up about once a second, so it belongs to no operation.
    await ci.api.get("/user");
    const [from, before] = [ends(), events.length];
    await work();
    await quiet(from);
    const lines = linesSince(from);
    const of = (msg: string) => lines.filter((line) => line.msg === msg);
    return {
      commands: countBy(of("mongo command"), ({ service }) => service),
      calls: countBy(of("call"), ({ service }) => service),
      events: events.length - before,
      names: countBy(lines, (line) => `${line.service}: ${nameOf(line)}`),
    };
  }

  return {
    ci,
    /** Returns the least cost of some runs of `work`, and what it consists of. */
    async cost(work: () => Promise<unknown>): Promise<{ cost: Cost; names: Counts }> {
      const all: Awaited<ReturnType<typeof once>>[] = [];
      for (let run = 0; run < runs; run++) all.push(await once(work));
      const cost = {
        commands: least(all.map(({ commands }) => commands)),
        calls: least(all.map(({ calls }) => calls)),
        events: Math.min(...all.map(({ events }) => events)),
      };
      return { cost, names: least(all.map(({ names }) => names)) };
    },
    async [Symbol.asyncDispose]() {
      await collector[Symbol.asyncDispose]();
      await ci[Symbol.asyncDispose]();
    },
  };
}
