import { type Keyring, parseKeys } from "../security/secrets.js";

/** One setting that was asked for. */
export interface Setting {
  readonly name: string;
  /** What it is, for the operator: a phrase in Markdown. */
  readonly about: string;
  readonly required: boolean;
  /** As it would be written; undefined for none. */
  readonly fallback?: string;
}

/** Reads settings by name and collects everything that is wrong, to be told at once. */
export interface Settings {
  /** Text; required when no default is given. */
  str(name: string, about: string, fallback?: string): string;
  /** Text, or undefined when not set. */
  maybe(name: string, about: string): string | undefined;
  /** A whole number, 0 or more. */
  int(name: string, about: string, fallback?: number): number;
  /** true, false, 1, 0. */
  bool(name: string, about: string, fallback: boolean): boolean;
  /** A time: `250ms`, `15s`, `5min`, `2h`, `30d`; in milliseconds. */
  duration(name: string, about: string, fallback: string): number;
  /** A size: `512`, `64KiB`, `5MiB`, `1GiB`; in bytes. */
  size(name: string, about: string, fallback: string): number;
  /** Comma-separated; empty entries are dropped. */
  list(name: string, about: string, fallback?: readonly string[]): string[];
  /** Runs a parser on the text and reports its error under the name. */
  parsed<T>(name: string, about: string, fallback: string | undefined, parse: (text: string) => T): T;
}

const msPer = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const bytesPer = { "": 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** `15s` in milliseconds. */
export function parseDuration(text: string): number {
  const found = /^(\d+)(ms|s|min|h|d)$/.exec(text);
  if (!found) throw new Error(`must be a time such as 250ms, 15s, 5min, 2h or 30d, not "${text}"`);
  return Number(found[1]) * msPer[found[2] as keyof typeof msPer];
}

/** `5MiB` in bytes. */
export function parseSize(text: string): number {
  const found = /^(\d+)(KiB|MiB|GiB)?$/.exec(text);
  if (!found) throw new Error(`must be a size such as 512, 64KiB, 5MiB or 1GiB, not "${text}"`);
  return Number(found[1]) * bytesPer[(found[2] ?? "") as keyof typeof bytesPer];
}

/** What has been asked of which environment. */
const asked = new WeakMap<NodeJS.ProcessEnv, Setting[]>();

/** The settings that have been read from this environment, in order: what a page about them is made of. */
export const settingsAsked = (env: NodeJS.ProcessEnv): readonly Setting[] => asked.get(env) ?? [];

/**
 * Builds a configuration from environment variables. `read` asks for each setting; what is missing or malformed
 * is thrown as one error that names every such variable.
 */
export function readSettings<T>(env: NodeJS.ProcessEnv, read: (settings: Settings) => T): T {
  const wrong: string[] = [];
  const seen: Setting[] = [];
  asked.set(env, seen);
  const get = (name: string) => (env[name] === "" ? undefined : env[name]);
  function parsed<V>(name: string, about: string, fallback: string | undefined, parse: (text: string) => V): V {
    seen.push({ name, about, required: fallback === undefined, fallback });
    const text = get(name) ?? fallback;
    try {
      if (text === undefined) throw new Error("is required");
      return parse(text);
    } catch (error) {
      wrong.push(`${name} ${(error as Error).message}`);
      return undefined as V;
    }
  }
  const settings: Settings = {
    parsed,
    str: (name, about, fallback) => parsed(name, about, fallback, (text) => text),
    maybe(name, about) {
      seen.push({ name, about, required: false });
      return get(name);
    },
    int: (name, about, fallback) =>
      parsed(name, about, fallback?.toString(), (text) => {
        if (!/^\d{1,15}$/.test(text)) throw new Error(`must be a whole number, not "${text}"`);
        return Number(text);
      }),
    bool: (name, about, fallback) =>
      parsed(name, about, String(fallback), (text) => {
        if (!/^(true|false|1|0)$/.test(text)) throw new Error(`must be true or false, not "${text}"`);
        return text === "true" || text === "1";
      }),
    duration: (name, about, fallback) => parsed(name, about, fallback, parseDuration),
    size: (name, about, fallback) => parsed(name, about, fallback, parseSize),
    list: (name, about, fallback = []) =>
      parsed(name, about, fallback.join(","), (text) =>
        text
          .split(",")
          .map((entry) => entry.trim())
          .filter((entry) => entry !== ""),
      ),
  };
  const config = read(settings);
  if (wrong.length > 0) throw new Error(`Settings:\n${wrong.map((line) => `  ${line}`).join("\n")}`);
  return config;
}

/** What every service reads, by the same names. */
export interface ServiceConfig {
  /** host:port of the gRPC server; port 0 takes a free one. */
  listen: string;
  /** host:port of /healthz, /readyz and /metrics; empty for none. */
  adminListen: string;
  logLevel: string;
  mongoUrl: string;
  mongoDb: string;
  natsUrl: string;
  subjectPrefix: string;
  /** How long the service goes on as before once it has been told to end and says that it is not ready. */
  stopDelayMs: number;
  /** How long calls that run then may take. */
  stopGraceMs: number;
  tls?: TlsFiles;
}

/** PEM files for mutual TLS between the services. */
export interface TlsFiles {
  cert: string;
  key: string;
  ca: string;
}

/** TLS_CERT, TLS_KEY and TLS_CA: all three or none. */
export function tlsFiles(s: Settings): TlsFiles | undefined {
  const about = (what: string) => `PEM file for mutual TLS between the services, all three or none: ${what}`;
  const [cert, key, ca] = [about("this one's certificate"), about("its key"), about("who signs those of the others")];
  const given = [s.maybe("TLS_CERT", cert), s.maybe("TLS_KEY", key), s.maybe("TLS_CA", ca)];
  if (given.every((file) => file === undefined)) return undefined;
  return { cert: s.str("TLS_CERT", cert), key: s.str("TLS_KEY", key), ca: s.str("TLS_CA", ca) };
}

/** How a service that answers calls comes to its end. */
export const stopConfig = (s: Settings): Pick<ServiceConfig, "stopDelayMs" | "stopGraceMs"> => ({
  stopDelayMs: s.duration(
    "STOP_DELAY",
    "how long a service that is told to end goes on as before, not ready any more",
    "0s",
  ),
  stopGraceMs: s.duration("STOP_GRACE", "how long calls that run then may take to end", "20s"),
});

/** Reads what every service needs; the database is called after the service unless MONGO_DB says otherwise. */
export const serviceConfig = (s: Settings, service: string): ServiceConfig => ({
  listen: s.str("LISTEN", "host:port of the service, port 0 takes a free one", "127.0.0.1:0"),
  adminListen: s.str("ADMIN_LISTEN", "host:port of `/healthz`, `/readyz` and `/metrics`", "127.0.0.1:0"),
  logLevel: s.str("LOG_LEVEL", "`debug`, `info`, `warn` or `error`", "info"),
  mongoUrl: s.str("MONGO_URL", "where MongoDB is, with user and password"),
  mongoDb: s.str("MONGO_DB", "the name of the database", `ci_${service}`),
  natsUrl: s.str("NATS_URL", "where NATS is; may name a user and several servers"),
  subjectPrefix: s.str("SUBJECT_PREFIX", "how subjects on NATS begin", "ci"),
  ...stopConfig(s),
  tls: tlsFiles(s),
});

/** All that is needed to rotate the secrets of a service: so little that it runs from anywhere. */
export const rotationConfig = (
  service: string,
  env: NodeJS.ProcessEnv = process.env,
): { mongoUrl: string; mongoDb: string; keyring: Keyring } =>
  readSettings(env, (s) => ({
    mongoUrl: s.str("MONGO_URL", "where MongoDB is, with user and password"),
    mongoDb: s.str("MONGO_DB", "the name of the database", `ci_${service}`),
    keyring: s.parsed(
      "SECRET_KEYS",
      "`id:base64 of 32 bytes`, separated by commas; the first encrypts, all decrypt",
      undefined,
      parseKeys,
    ),
  }));

/** All that is needed to save and restore the databases. */
export const backupConfig = (env: NodeJS.ProcessEnv = process.env): { mongoUrl: string } =>
  readSettings(env, (s) => ({ mongoUrl: s.str("MONGO_URL", "where MongoDB is, with user and password") }));
