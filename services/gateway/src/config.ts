import { logLevel, natsUrl, readSettings, stopConfig, type TlsFiles, tlsFiles } from "@ci/kit/process/config";

/** Everything the gateway reads from its environment. Sizes in bytes. */
export interface Config {
  /** What every URL in an answer starts with; without trailing slash. Its path is where the API lives. */
  publicUrl: string;
  /** host:port of the API; port 0 takes a free one. */
  listen: string;
  /** host:port of /healthz, /readyz and /metrics. */
  adminListen: string;
  logLevel: string;
  buildsAddr: string;
  imagesAddr: string;
  namespacesAddr: string;
  webhooksAddr: string;
  natsUrl: string;
  subjectPrefix: string;
  /** The largest JSON or form body. */
  bodyBytes: number;
  /** The largest request of a provider's hook. */
  hookBytes: number;
  /** Per token and gateway; 0 for no limit. */
  requestsPerMinute: number;
  /** Origins whose pages may read the API; none: CORS is off. */
  corsOrigins: readonly string[];
  badgeLabel: string;
  /** What GET /version tells. */
  build: string;
  /** How long the gateway goes on as before once it has been told to end and says that it is not ready. */
  stopDelayMs: number;
  /** How long requests that run then may take. */
  stopGraceMs: number;
  tls?: TlsFiles;
}

function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new Error(`must be an http or https URL without query, fragment and user, not "${text}"`);
  return url.href.replace(/\/+$/, "");
}

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    publicUrl: s.parsed(
      "PUBLIC_URL",
      "what every URL in an answer starts with; its path is where the API lives",
      undefined,
      publicUrl,
    ),
    listen: s.listen("LISTEN", "host:port of the service, port 0 takes a free one", "127.0.0.1:8080"),
    adminListen: s.listen("ADMIN_LISTEN", "host:port of `/healthz`, `/readyz` and `/metrics`", "127.0.0.1:0"),
    logLevel: logLevel(s),
    buildsAddr: s.peer("BUILDS_ADDR", "host:port of the builds service"),
    imagesAddr: s.peer("IMAGES_ADDR", "host:port of the images service; the runner needs it for virtual machines only"),
    namespacesAddr: s.peer(
      "NAMESPACES_ADDR",
      "host:port of the namespaces service; every address of the host is a replica",
    ),
    webhooksAddr: s.peer("WEBHOOKS_ADDR", "host:port of the webhooks service"),
    natsUrl: natsUrl(s),
    subjectPrefix: s.str("SUBJECT_PREFIX", "how subjects on NATS begin", "ci"),
    bodyBytes: s.size("BODY_LIMIT", "largest JSON or form body", "2MiB", { min: "1" }),
    hookBytes: s.size("HOOK_BODY_LIMIT", "largest request of a repository's hook", "8MiB", { min: "1" }),
    requestsPerMinute: s.int("REQUESTS_PER_MINUTE", "for each token, in each gateway; 0: no limit", 0),
    corsOrigins: s.list("CORS_ORIGINS", "origins whose pages may use the API, separated by commas"),
    badgeLabel: s.str("BADGE_LABEL", "left half of a badge", "Service CI"),
    build: s.str("BUILD_VERSION", "what `/version` tells", "0.1.0"),
    ...stopConfig(s),
    tls: tlsFiles(s),
  }));

/**
 * express-gateway takes these from the environment alone: no watching of its files (they never change while the
 * process lives), and nothing but failures on standard output, where our own JSON lines go.
 */
export function quietExpressGateway(): void {
  process.env.EG_DISABLE_CONFIG_WATCH = "true";
  process.env.LOG_LEVEL = "error";
}
