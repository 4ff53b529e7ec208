import { cachingGrants } from "@ci/access/grants";
import { connectBus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import { serveAdmin } from "@ci/kit/process/admin";
import { drainer } from "@ci/kit/process/drain";
import { createLog } from "@ci/kit/process/log";
import type { Running } from "@ci/kit/process/run";
import { sendUnhandled } from "./answer.js";
import { api } from "./api.js";
import { authenticate } from "./authenticate.js";
import { connectClients } from "./clients.js";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import { hostPolicies } from "./express-gateway.js";
import { serveHttp } from "./http-server.js";
import { matcher } from "./match.js";
import { describe } from "./openapi.js";
import { people } from "./people.js";
import { rateLimit } from "./rate.js";
import { requestId } from "./request-id.js";
import { routes } from "./routes.js";
import { sessions } from "./sessions.js";

/** How long a changed namespace may be shown as it was when the news of the change gets lost. */
const trustMs = 5_000;

/** A started gateway. */
export interface Gateway extends Running {
  readonly port: number;
  readonly adminPort: number;
}

/**
 * Starts the gateway. Draining says on the admin port that it is not ready, and that every answer is the last on its
 * connection. Disposing ends streams, closes the API's port when what runs has been answered, then all the rest.
 */
export async function start(config: Config): Promise<Gateway> {
  const log = createLog("gateway", config.logLevel);
  const stopping = new AbortController();
  const parts: AsyncDisposable[] = [];
  const own = <T extends AsyncDisposable>(part: T): T => {
    parts.push(part);
    return part;
  };
  const dispose = async () => {
    stopping.abort();
    for (const part of parts.reverse()) await part[Symbol.asyncDispose]();
  };
  try {
    const clients = own(connectClients(config));
    const bus = own(await connectBus(config.natsUrl, config.subjectPrefix, "gateway", log));
    const accounts = cachingGrants(clients.accounts, bus);
    const met = people(accounts, bus);
    const ctx: Context = {
      ...clients,
      accounts,
      config,
      log,
      bus,
      people: met,
      places: ttlCache(bus, trustMs),
      sessions: sessions(accounts, bus, met),
      description: describe(routes, config.publicUrl, config.build),
      signal: stopping.signal,
    };
    forgetOnEvents(ctx);
    const cors = new Set(config.corsOrigins);
    const listener = await hostPolicies(
      {
        "request-id": requestId(log, cors),
        authenticate: authenticate(ctx, matcher(routes), rateLimit(config.requestsPerMinute), cors),
        api: api(ctx),
      },
      (error, response) => sendUnhandled(response, error),
    );
    const http = own(await serveHttp(config.listen, listener, config.stopGraceMs));
    const { check, drain } = drainer(config.stopDelayMs, () => {
      log.info("draining");
      http.leave();
    });
    const admin = await serveAdmin(config.adminListen, async () => check());
    parts.unshift(admin);
    own({ [Symbol.asyncDispose]: () => drain(AbortSignal.abort()) });
    log.info({ port: http.port, adminPort: admin.port }, "serving");
    return { port: http.port, adminPort: admin.port, drain, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Drops what is remembered of users, tokens and namespaces as soon as something about them changes. */
function forgetOnEvents({ bus, people, places, sessions }: Context): void {
  bus.listen("namespaces", () => places.forget());
  bus.listen("tokens", () => sessions.forget());
  bus.listen("users", () => {
    sessions.forget();
    people.forget();
  });
}
