import { join, resolve } from "node:path";
import { parseRanges, type Range } from "@ci/kit/net/guard";
import {
  identityWith,
  logLevel,
  natsUrl,
  readSettings,
  type Settings,
  stopConfig,
  subjectPrefix,
} from "@ci/kit/process/config";
import type { IdentityConfig } from "@ci/kit/process/identity-config";
import { timer } from "@ci/kit/process/setting-types";
import { type OpenidConfig, openidConfig } from "./auth/openid-config.js";
import type { Lengths } from "./http/shape.js";
import { streamComplaint } from "./limits/stream-complaint.js";

/** The gateway's settings; `readConfig` describes each. Sizes are in bytes. */
export interface Config {
  /** Without trailing slash. */
  publicUrl: string;
  listen: string;
  adminListen: string;
  logLevel: string;
  buildsAddr: string;
  imagesAddr: string;
  namespacesAddr: string;
  webhooksAddr: string;
  natsUrl: string;
  subjectPrefix: string;
  bodyBytes: number;
  hookBytes: number;
  hookBodyMs: number;
  hookBodies: number;
  maxConnections: number;
  connectionsPerAddress: number;
  requestsPerMinute: number;
  anonymousPerMinute: number;
  requestsAtOnce: number;
  uploadsAtOnce: number;
  downloadsAtOnce: number;
  lengths: Lengths;
  webDir: string;
  streamsPerUser: number;
  corsOrigins: readonly string[];
  trustedProxies: readonly Range[];
  badgeLabel: string;
  /** Absent without an OpenID Connect provider. */
  openid: OpenidConfig | undefined;
  build: string;
  stopDelayMs: number;
  stopGraceMs: number;
  identity: IdentityConfig;
}

const gatewayDir = join(__dirname, "..");

function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new Error(`must be an http or https URL without query, fragment and user, not "${text}"`);
  return url.href.replace(/\/+$/, "");
}

const length = (s: Settings, name: string, about: string, fallback: number, field: string): number =>
  s.int(name, `characters of ${about}`, fallback, {
    min: "1",
    refusal: `${field} cannot be longer than N characters in length`,
  });

const readLengths = (s: Settings): Lengths => ({
  comment: length(s, "COMMENT_LENGTH", "the comment on a build", 4_096, "Comment"),
  scope: length(s, "SCOPE_LENGTH", "the scope of a token", 4_096, "Scope"),
  text: length(s, "TEXT_LENGTH", "a text without a limit of its own, such as the name of a variable", 1_024, "Key"),
});

/** What a client may send, and how much of it at once. */
const readBounds = (s: Settings) => ({
  bodyBytes: s.size("BODY_LIMIT", "size limit of a JSON or form body", "2MiB", {
    min: "1",
    refusal: "Request body too large",
  }),
  hookBytes: s.size("HOOK_BODY_LIMIT", "size limit of a request to a repository's hook", "8MiB", {
    min: "1",
    refusal: "Request body too large",
  }),
  hookBodyMs: s.duration("HOOK_BODY_TIMEOUT", "how long the body of a hook request may take to arrive", "30s", {
    ...timer,
    refusal: "Request body arrives too slowly; send it again over a faster connection",
  }),
  hookBodies: s.int(
    "HOOK_BODIES",
    "memory for arriving bodies of hook requests at each gateway, as a number of bodies of HOOK_BODY_LIMIT, at most a quarter of it for one address; 0: no limit",
    8,
    { refusal: "Too many requests", effect: "429 for the body that began first" },
  ),
  maxConnections: s.int("MAX_CONNECTIONS", "connections that each gateway accepts at once", 10_000, {
    min: "1",
    effect: "further connections are closed",
  }),
  connectionsPerAddress: s.int(
    "CONNECTIONS_PER_ADDRESS",
    "connections that each gateway accepts at once from one address, unless it is a trusted proxy's; 0: no limit",
    2_000,
    { effect: "further connections are closed" },
  ),
  requestsPerMinute: s.int(
    "REQUESTS_PER_MINUTE",
    "requests per minute that each gateway accepts for one token; 0: no limit",
    6_000,
    { refusal: "Too many requests" },
  ),
  anonymousPerMinute: s.int(
    "ANONYMOUS_REQUESTS_PER_MINUTE",
    "requests without a token per minute that each gateway accepts from one address, and as many with invalid tokens; 0: no limit",
    600,
    { refusal: "Too many requests" },
  ),
  requestsAtOnce: s.int("REQUESTS_AT_ONCE", "requests of one user that each gateway handles at once; 0: no limit", 16, {
    effect: "the user's other requests wait",
  }),
  uploadsAtOnce: s.int("UPLOADS_AT_ONCE", "uploads of one user that each gateway receives at once; 0: no limit", 32, {
    effect: "the user's other uploads wait",
  }),
  downloadsAtOnce: s.int(
    "DOWNLOADS_AT_ONCE",
    "downloads of objects, images, artifacts and output as text that each gateway sends to one user at once; 0: no limit",
    32,
    { effect: "the user's other downloads wait" },
  ),
  streamsPerUser: s.int(
    "STREAMS_PER_USER",
    "event streams that one user may have open at each gateway; 0: no limit",
    500,
    { refusal: streamComplaint("N") },
  ),
  lengths: readLengths(s),
});

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => {
    const peers = {
      buildsAddr: s.peer("BUILDS_ADDR", "host:port of the builds service"),
      imagesAddr: s.peer(
        "IMAGES_ADDR",
        "host:port of the images service; the runner needs it for virtual machines only",
      ),
      namespacesAddr: s.peer(
        "NAMESPACES_ADDR",
        "host:port of the namespaces service; every address of the host is a replica",
      ),
      webhooksAddr: s.peer("WEBHOOKS_ADDR", "host:port of the webhooks service"),
    };
    return {
      publicUrl: s.parsed(
        "PUBLIC_URL",
        "what every URL in a response starts with; its path is where the API lives",
        undefined,
        publicUrl,
      ),
      listen: s.listen("LISTEN", "host:port where the service listens; port 0 takes a free port", "127.0.0.1:8080"),
      adminListen: s.listen(
        "ADMIN_LISTEN",
        "host:port where the service serves `/healthz`, `/readyz` and `/metrics`",
        "127.0.0.1:0",
      ),
      logLevel: logLevel(s),
      natsUrl: natsUrl(s),
      subjectPrefix: subjectPrefix(s),
      ...readBounds(s),
      corsOrigins: s.list("CORS_ORIGINS", "origins whose pages may use the API, separated by commas"),
      trustedProxies: s.parsed(
        "TRUSTED_PROXIES",
        "addresses and CIDR ranges of proxies whose `X-Forwarded-For` names the client",
        "",
        parseRanges,
      ),
      webDir: resolve(
        gatewayDir,
        s.str(
          "WEB_DIR",
          "folder of the built web page, from the gateway's own; without it browsers get JSON",
          "../../web/dist",
        ),
      ),
      badgeLabel: s.str("BADGE_LABEL", "text on the left half of a badge", "Service CI"),
      openid: openidConfig(s),
      build: s.str("BUILD_VERSION", "version that `/version` returns", "0.2.0"),
      ...stopConfig(s),
      ...peers,
      identity: identityWith(s, "gateway", peers),
    };
  });

/** Stops express-gateway from watching its config files, and from logging anything but errors to our standard output. */
export function quietExpressGateway(): void {
  process.env.EG_DISABLE_CONFIG_WATCH = "true";
  process.env.LOG_LEVEL = "error";
}
