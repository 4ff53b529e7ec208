import type { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { parseDuration, readSettings, type ServiceConfig, serviceConfig } from "@ci/kit/config";
import { type Allow, parseAllow } from "@ci/kit/guard";
import { parseResolver } from "@ci/kit/resolver";
import { type Keyring, parseKeys } from "@ci/kit/secrets";

export interface Config extends ServiceConfig {
  /** Public base URL, without trailing slash. */
  publicUrl: string;
  headerPrefix: string;
  timeoutMs: number;
  /** Pauses before the second, third, ... attempt. */
  pausesMs: readonly number[];
  /** How long deliveries are kept. */
  logMs: number;
  /** How long events can be asked for by those who watch a namespace. */
  eventLogMs: number;
  /** How much of a response is kept. */
  bodyLimitBytes: number;
  deactivateAfterMs: number;
  secretOverlapMs: number;
  patchWaitMs: number;
  /** Webhooks that are sent to at the same time by this process. */
  concurrency: number;
  keyring: Keyring;
  allow: Allow;
  /** Who is asked for the addresses of strangers' names; absent: the system. */
  resolver?: Resolver;
  /** PEM certificates trusted besides the system's. */
  extraCa?: string;
  namespacesAddr: string;
  buildsAddr: string;
}

const baseUrl = (text: string): string => {
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) throw new Error(`must be an http or https URL`);
  return text.replace(/\/+$/, "");
};

const headerName = (text: string): string => {
  if (!/^[A-Za-z0-9-]+$/.test(text)) throw new Error("must be letters, digits and dashes");
  return text;
};

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "webhooks"),
    publicUrl: s.parsed("PUBLIC_URL", undefined, baseUrl),
    headerPrefix: s.parsed("WEBHOOK_HEADER_PREFIX", "X-Service-CI", headerName),
    timeoutMs: s.duration("WEBHOOK_TIMEOUT", "15s"),
    pausesMs: s.parsed("WEBHOOK_RETRIES", "5s,5min,30min,2h,5h,10h,10h", (text) =>
      text.split(",").map((pause) => parseDuration(pause.trim())),
    ),
    logMs: s.duration("WEBHOOK_LOG", "30d"),
    eventLogMs: s.duration("EVENT_LOG", "24h"),
    bodyLimitBytes: s.size("WEBHOOK_BODY_LIMIT", "64KiB"),
    deactivateAfterMs: s.duration("WEBHOOK_DEACTIVATE_AFTER", "5d"),
    secretOverlapMs: s.duration("WEBHOOK_SECRET_OVERLAP", "24h"),
    patchWaitMs: s.duration("WEBHOOK_PATCH_WAIT", "1s"),
    concurrency: Math.max(1, s.int("WEBHOOK_CONCURRENCY", 256)),
    keyring: s.parsed("SECRET_KEYS", undefined, parseKeys),
    allow: s.parsed("CI_GUARD_ALLOW", "", parseAllow),
    resolver: s.parsed("CI_DNS_SERVERS", "", parseResolver),
    extraCa: s.parsed("CI_EXTRA_CA", "", (path) => (path === "" ? undefined : readFileSync(path, "utf8"))),
    namespacesAddr: s.str("NAMESPACES_ADDR"),
    buildsAddr: s.str("BUILDS_ADDR"),
  }));
