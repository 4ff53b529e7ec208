import { setImmediate as immediate } from "node:timers/promises";
import { countsBy } from "@ci/kit/turns/counts";
import type { Config } from "../config.js";
import { Refusal } from "../http/answer.js";
import type { Exchange } from "../http/exchange.js";
import { streamComplaint } from "./stream-complaint.js";
import { userOf } from "./user-of.js";

/** The streams of this process by user. */
export interface OpenStreams {
  /** Counts a stream of a request's user until it is disposed. Throws 429 if the user has too many; 0 means no limit. */
  add(exchange: Exchange): Disposable;
  /** Resolves when it is the turn of a stream to open. The event loop does other work between two of them. */
  turn(): Promise<void>;
}

/** A stream may last for days, so nobody can say when to retry. This keeps clients from trying all the time. */
const retryAfterSeconds = "30";

export function openStreams(config: Pick<Config, "streamsPerUser" | "trustedProxies">): OpenStreams {
  const streams = countsBy<string>();
  const max = config.streamsPerUser;
  let last = Promise.resolve();
  return {
    turn() {
      last = last.then(() => immediate());
      return last;
    },
    add(exchange) {
      const user = userOf(config, exchange);
      if (max > 0 && streams.of(user) >= max)
        throw new Refusal(429, streamComplaint(max), { "Retry-After": retryAfterSeconds });
      streams.add(user, 1);
      return { [Symbol.dispose]: () => streams.add(user, -1) };
    },
  };
}
