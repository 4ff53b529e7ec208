import { natsServers } from "../bus/nats-servers.js";
import { type Keyring, parseKeys } from "../security/secrets.js";
import {
  type Limits,
  limited,
  oneOf,
  parseAddress,
  parseDuration,
  parseSize,
  parseWhole,
  someOf,
  timer,
} from "./setting-types.js";

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
  /** A whole number, 0 or more unless limited. */
  int(name: string, about: string, fallback?: number, limits?: Limits): number;
  /** true, false, 1, 0. */
  bool(name: string, about: string, fallback: boolean): boolean;
  /** A time: `250ms`, `15s`, `5min`, `2h`, `30d`; in milliseconds. */
  duration(name: string, about: string, fallback: string, limits?: Limits): number;
  /** A size: `512`, `64KiB`, `5MiB`, `1GiB`; in bytes. */
  size(name: string, about: string, fallback: string, limits?: Limits): number;
  /** One of these names. */
  oneOf<T extends string>(name: string, about: string, names: readonly T[], fallback?: T): T;
  /** Some of these names, at least one, separated by commas. */
  someOf<T extends string>(name: string, about: string, names: readonly T[], fallback?: readonly T[]): T[];
  /** `host:port` to listen at, where port 0 takes a free one; required when no default is given. */
  listen(name: string, about: string, fallback?: string): string;
  /** `host:port` of another service. */
  peer(name: string, about: string): string;
  /** Comma-separated; empty entries are dropped. */
  list(name: string, about: string, fallback?: readonly string[]): string[];
  /** Runs a parser on the text and reports its error under the name. */
  parsed<T>(name: string, about: string, fallback: string | undefined, parse: (text: string) => T): T;
}

/** A date that far from now is still a date. */
const longest: Limits = { max: "3650d" };
/** Bytes are counted exactly up to here. */
const largest: Limits = { max: "8388607GiB" };

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
    int: (name, about, fallback, limits = {}) =>
      parsed(name, about, fallback?.toString(), limited("a whole number", parseWhole, limits)),
    bool: (name, about, fallback) =>
      parsed(name, about, String(fallback), (text) => {
        if (!/^(true|false|1|0)$/.test(text)) throw new Error(`must be true or false, not "${text}"`);
        return text === "true" || text === "1";
      }),
    duration: (name, about, fallback, limits) =>
      parsed(name, about, fallback, limited("a time", parseDuration, { ...longest, ...limits })),
    size: (name, about, fallback, limits) =>
      parsed(name, about, fallback, limited("a size", parseSize, { ...largest, ...limits })),
    oneOf: (name, about, names, fallback) => parsed(name, about, fallback, oneOf(names)),
    someOf: (name, about, names, fallback) => parsed(name, about, fallback?.join(), someOf(names)),
    listen: (name, about, fallback) => parsed(name, about, fallback, parseAddress(0)),
    peer: (name, about) => parsed(name, about, undefined, parseAddress(1)),
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

const levels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** How much is logged. */
export const logLevel = (s: Settings): string =>
  s.oneOf(
    "LOG_LEVEL",
    "from most to least: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent`",
    levels,
    "info",
  );

// What is wrong with these two is not shown: they may hold a password.
const mongoUrl = (s: Settings): string =>
  s.parsed("MONGO_URL", "where MongoDB is, with user and password", undefined, (text) => {
    if (!/^mongodb(\+srv)?:\/\//.test(text)) throw new Error("must begin with mongodb:// or mongodb+srv://");
    return text;
  });

/** Where NATS is. */
export const natsUrl = (s: Settings): string =>
  s.parsed("NATS_URL", "where NATS is; may name a user and several servers", undefined, (text) => {
    try {
      natsServers(text);
    } catch {
      throw new Error("must be nats://host:port, or several separated by commas");
    }
    return text;
  });

/** How a service that answers calls comes to its end. */
export const stopConfig = (s: Settings): Pick<ServiceConfig, "stopDelayMs" | "stopGraceMs"> => ({
  stopDelayMs: s.duration(
    "STOP_DELAY",
    "how long a service that is told to end goes on as before, not ready any more",
    "0s",
    { max: timer.max },
  ),
  stopGraceMs: s.duration("STOP_GRACE", "how long calls that run then may take to end", "20s", { max: timer.max }),
});

/** Reads what every service needs; the database is called after the service unless MONGO_DB says otherwise. */
export const serviceConfig = (s: Settings, service: string): ServiceConfig => ({
  listen: s.listen("LISTEN", "host:port of the service, port 0 takes a free one", "127.0.0.1:0"),
  adminListen: s.listen("ADMIN_LISTEN", "host:port of `/healthz`, `/readyz` and `/metrics`", "127.0.0.1:0"),
  logLevel: logLevel(s),
  mongoUrl: mongoUrl(s),
  mongoDb: s.str("MONGO_DB", "the name of the database", `ci_${service}`),
  natsUrl: natsUrl(s),
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
    mongoUrl: mongoUrl(s),
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
  readSettings(env, (s) => ({ mongoUrl: mongoUrl(s) }));
