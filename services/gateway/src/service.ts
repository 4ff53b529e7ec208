import { cachingGrants } from "@ci/access/grants";
import { connectBus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import { serveAdmin } from "@ci/kit/process/admin";
import { assembled } from "@ci/kit/process/assembled";
import { drainer } from "@ci/kit/process/drain";
import { createLog } from "@ci/kit/process/log";
import type { Running } from "@ci/kit/process/run";
import { openIdentity } from "@ci/kit/rpc/identity";
import { manifestSchema } from "@ci/manifest/schema";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { refusals } from "./audit/audited.js";
import { auditRecorder } from "./audit/recorder.js";
import { authenticate } from "./auth/authenticate.js";
import { openidClient } from "./auth/openid.js";
import { pendingSignIns } from "./auth/pending.js";
import { cachedSessions } from "./auth/sessions.js";
import { connectBackend } from "./backend/clients.js";
import { healthCheck } from "./backend/health.js";
import { buildRenderer } from "./backend/rendered-builds.js";
import { cachedUsers } from "./backend/users.js";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import { sendUnhandled } from "./http/answer.js";
import { api } from "./http/api.js";
import { document } from "./http/document.js";
import { hostPolicies } from "./http/host.js";
import { matcher } from "./http/match.js";
import { basePathOf } from "./http/path.js";
import { requestId } from "./http/request-id.js";
import { serveHttp } from "./http/server.js";
import { arriving } from "./limits/arriving.js";
import { forwarding } from "./limits/forwarding.js";
import { openStreams } from "./limits/open-streams.js";
import { rateLimit } from "./limits/rate-limit.js";
import { turns } from "./limits/turns.js";
import { unsent } from "./limits/unsent.js";
import { describe } from "./openapi/describe.js";
import { callbackPath, groups, routes, signInRoutes } from "./routes.js";
import { pages } from "./web/pages.js";
import { readSite } from "./web/site.js";

/** How long a cached namespace is trusted if the event about a change is lost. */
const trustMs = 5_000;

const hookBodiesOf = ({ hookBodies, hookBytes }: Config) => {
  const bodies = hookBodies || Number.POSITIVE_INFINITY;
  return arriving(bodies * hookBytes, Math.ceil(bodies / 4) * hookBytes);
};

export interface Gateway extends Running {
  readonly port: number;
  readonly adminPort: number;
}

/**
 * Starts the gateway. Draining turns readiness false and makes every response the last on its connection. Disposing ends
 * streams, waits for open requests, closes the API's port, then closes everything else.
 */
export const start = (config: Config): Promise<Gateway> =>
  assembled(async ({ own, ownToTheEnd }) => {
    const log = createLog("gateway", config.logLevel);
    const stopping = new AbortController();
    const identity = own(openIdentity(config.identity, log));
    const { clients, validating } = own(connectBackend(config, identity));
    const bus = own(await connectBus(config.natsUrl, config.subjectPrefix, "gateway", log));
    const accounts = cachingGrants(clients.accounts, bus);
    const users = cachedUsers(accounts, bus);
    const namespaceCache = ttlCache<number, Namespace>(bus, trustMs);
    const ctx: Context = {
      ...clients,
      accounts,
      validating,
      config,
      log,
      bus,
      users,
      namespaceCache,
      renderBuilds: buildRenderer({ accounts, users, namespaceCache, config }),
      audit: own(auditRecorder(clients.auditLog, log)),
      sessions: cachedSessions(accounts, bus, users),
      openid: config.openid && {
        client: openidClient(config.openid, `${config.publicUrl}${callbackPath}`, log),
        pending: pendingSignIns(config, config.openid),
      },
      hookBodies: hookBodiesOf(config),
      forwarding: forwarding(),
      downloadTurns: turns(config.downloadsAtOnce),
      checkHealth: healthCheck(clients, log),
      openStreams: openStreams(config),
      documents: {
        description: document(describe(routes, groups, config)),
        manifestSchema: document(manifestSchema(`${config.publicUrl}/manifest.schema.json`)),
      },
      unsent: unsent(),
      signal: stopping.signal,
    };
    forgetOnEvents(ctx);
    const cors = new Set(config.corsOrigins);
    const limits = {
      token: rateLimit("token", config.requestsPerMinute),
      address: rateLimit("address", config.anonymousPerMinute),
      invalid: rateLimit("address", config.anonymousPerMinute),
    };
    const match = matcher(config.openid ? [...routes, ...signInRoutes] : routes);
    const record = refusals(ctx);
    const listener = await hostPolicies(
      {
        "request-id": requestId(log, cors),
        pages: pages(await readSite(config), basePathOf(config.publicUrl), match),
        authenticate: authenticate(ctx, match, limits, cors, record),
        api: api(ctx, { requests: turns(config.requestsAtOnce), uploads: turns(config.uploadsAtOnce) }, record),
      },
      (error, response) => sendUnhandled(log, response, error),
    );
    const http = own(await serveHttp(config.listen, listener, config));
    // If the rest of the start fails, streams end at once.
    own({ [Symbol.asyncDispose]: async () => stopping.abort() });
    const { check, drain } = drainer(config.stopDelayMs, () => {
      log.info("draining");
      http.drain();
    });
    const admin = ownToTheEnd(await serveAdmin(config.adminListen, check, async () => undefined));
    own({
      [Symbol.asyncDispose]() {
        stopping.abort();
        return drain(AbortSignal.abort());
      },
    });
    log.info({ port: http.port, adminPort: admin.port }, "serving");
    return { port: http.port, adminPort: admin.port, drain };
  });

/** Clears the caches of users, tokens and namespaces when one of them changes. */
function forgetOnEvents({ bus, users, namespaceCache, sessions }: Context): void {
  bus.listen("namespaces", () => namespaceCache.forget());
  bus.listen("tokens", () => sessions.forget());
  bus.listen("users", () => {
    sessions.forget();
    users.forget();
  });
}
