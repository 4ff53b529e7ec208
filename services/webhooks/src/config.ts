import type { CountLimit } from "@ci/kit/mongo/quota";
import { guardConfig } from "@ci/kit/net/guard-config";
import type { AgentOptions } from "@ci/kit/net/guarded-agent";
import { keyring, readSettings, type ServiceConfig, serviceConfig } from "@ci/kit/process/config";
import { countLimit } from "@ci/kit/process/quota-config";
import { parseDuration, timer } from "@ci/kit/process/setting-types";
import type { Keyring } from "@ci/kit/security/secrets";

export interface Config extends ServiceConfig, AgentOptions {
  publicUrl: string;
  headerPrefix: string;
  timeoutMs: number;
  /** Pauses before the second, third, ... attempt. */
  pausesMs: readonly number[];
  logMs: number;
  eventLogMs: number;
  bodyLimitBytes: number;
  deactivateAfterMs: number;
  secretOverlapMs: number;
  patchWaitMs: number;
  aliveMs: number;
  concurrency: number;
  webhooksPerUser: CountLimit;
  keyring: Keyring;
  namespacesAddr: string;
  buildsAddr: string;
}

const baseUrl = (text: string): string => {
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) throw new Error(`must be an http or https URL`);
  return text.replace(/\/+$/, "");
};

const headerName = (text: string): string => {
  if (!/^[A-Za-z0-9-]+$/.test(text)) throw new Error("must be letters, digits and dashes");
  if (text.toLowerCase() === "webhook")
    throw new Error("must not be webhook: webhook-signature is a header of its own");
  return text;
};

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "webhooks", {
      namespacesAddr: s.peer(
        "NAMESPACES_ADDR",
        "host:port of the namespaces service; every address of the host is a replica",
      ),
      buildsAddr: s.peer("BUILDS_ADDR", "host:port of the builds service"),
    }),
    publicUrl: s.parsed(
      "PUBLIC_URL",
      "what every URL in a response starts with; its path is where the API lives",
      undefined,
      baseUrl,
    ),
    headerPrefix: s.parsed("WEBHOOK_HEADER_PREFIX", "prefix of the headers of webhooks", "X-Service-CI", headerName),
    timeoutMs: s.duration("WEBHOOK_TIMEOUT", "how long a receiver may take to answer one attempt", "15s", {
      ...timer,
      effect: "the attempt fails and is repeated",
    }),
    pausesMs: s.parsed(
      "WEBHOOK_RETRIES",
      "pauses between the attempts",
      "5s,5min,30min,2h,5h,10h,10h",
      (text) => text.split(",").map((pause) => parseDuration(pause.trim())),
      { effect: "the delivery fails for good" },
    ),
    logMs: s.duration("WEBHOOK_LOG", "how long deliveries are kept", "30d", { effect: "older deliveries are deleted" }),
    eventLogMs: s.duration(
      "EVENT_LOG",
      "how long a stream of events can be resumed, and missed events be replayed",
      "24h",
      {
        effect: "older events are skipped",
      },
    ),
    bodyLimitBytes: s.size("WEBHOOK_BODY_LIMIT", "how much of a receiver's response is kept", "64KiB", {
      effect: "the rest is not read",
    }),
    deactivateAfterMs: s.duration(
      "WEBHOOK_DEACTIVATE_AFTER",
      "how long attempts may fail without a success before the webhook is deactivated",
      "5d",
      { effect: "the webhook is deactivated" },
    ),
    secretOverlapMs: s.duration("WEBHOOK_SECRET_OVERLAP", "how long a replaced secret still signs too", "24h"),
    patchWaitMs: s.duration("WEBHOOK_PATCH_WAIT", "how long a change of a webhook waits for first attempts", "1s", {
      max: timer.max,
      effect: "the change is answered before these attempts",
    }),
    aliveMs: 4_000,
    concurrency: s.int(
      "WEBHOOK_CONCURRENCY",
      "webhooks that one process sends to at the same time, half of them at most of one user",
      256,
      { min: "1", effect: "further webhooks take turns" },
    ),
    webhooksPerUser: countLimit(s, "Webhooks", "user"),
    keyring: keyring(s),
    ...guardConfig(s),
  }));
