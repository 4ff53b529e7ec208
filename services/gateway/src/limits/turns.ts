import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Refusal } from "../http/answer.js";

/** Requests of one user that may wait. */
const maxWaiting = fixedLimit({
  max: 1_000,
  about: "requests of one user that wait for others of the same user",
  refusal: "Too many requests",
});
/** How long a request waits before it is refused. */
const patienceMs = fixedLimit({
  max: 10_000,
  unit: "ms",
  about: "time that such a request waits",
  refusal: "Too many requests",
});

interface Line {
  working: number;
  readonly waiting: Set<() => void>;
}

/** Runs a user's work when it is the user's turn. `signal` ends the wait. */
export type Turns = <T>(user: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

const tooMany = () => new Refusal(429, "Too many requests", { "Retry-After": String(patienceMs / 1_000) });

function waitIn({ waiting }: Line, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  if (waiting.size >= maxWaiting) return Promise.reject(tooMany());
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(enter);
      clearTimeout(timer);
      signal.removeEventListener("abort", give);
    };
    const enter = () => {
      leave();
      // Lets the event loop read other requests first.
      setImmediate(resolve);
    };
    const give = () => {
      leave();
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      leave();
      reject(tooMany());
    }, patienceMs);
    signal.addEventListener("abort", give);
    waiting.add(enter);
  });
}

/**
 * Gives each user the same share of the gateway: `atOnce` requests of a user run at the same time. The user's other
 * requests wait in order, so they do not delay those of others. 0 means no limit.
 */
export function turns(atOnce: number): Turns {
  const lines = new Map<string, Line>();

  async function enter(line: Line, signal: AbortSignal): Promise<void> {
    if (line.working >= atOnce) return waitIn(line, signal);
    line.working++;
  }

  /** Passes the turn to the next request, if there is one. */
  function leave(user: string, line: Line): void {
    const [next] = line.waiting;
    if (next) next();
    else if (--line.working === 0) lines.delete(user);
  }

  return async (user, signal, work) => {
    if (atOnce === 0) return work();
    const line = lines.get(user) ?? { working: 0, waiting: new Set() };
    lines.set(user, line);
    await enter(line, signal);
    try {
      return await work();
    } finally {
      leave(user, line);
    }
  };
}
