import { natsServers } from "../bus/nats-servers.js";
import type { ServiceName } from "../rpc/callers.js";
import { type Keyring, parseKeys } from "../security/secrets.js";
import type { Beyond } from "./fixed-limit.js";
import { type IdentityConfig, identityConfig } from "./identity-config.js";
import {
  type Limits,
  oneOf,
  parseAddress,
  parseDuration,
  parseSize,
  parseWhole,
  someOf,
  timer,
  within,
} from "./setting-types.js";

/** A setting that is a limit says what happens beyond it. */
export interface Setting extends Beyond {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
  readonly fallback?: string;
}

/** The values that a setting may have and, if it is a limit, what happens beyond it. */
type LimitOptions = Limits & Beyond;

/** Reads settings by name. A setting without a fallback is required. */
export interface Settings {
  str(name: string, about: string, fallback?: string): string;
  maybe(name: string, about: string): string | undefined;
  int(name: string, about: string, fallback?: number, options?: LimitOptions): number;
  bool(name: string, about: string, fallback: boolean): boolean;
  /** Returns milliseconds for a time such as `250ms`, `15s`, `5min`, `2h` or `30d`. */
  duration(name: string, about: string, fallback: string, options?: LimitOptions): number;
  /** Returns bytes for a size such as `512`, `64KiB`, `5MiB` or `1GiB`. */
  size(name: string, about: string, fallback: string, options?: LimitOptions): number;
  oneOf<T extends string>(name: string, about: string, names: readonly T[], fallback?: T): T;
  someOf<T extends string>(name: string, about: string, names: readonly T[], fallback?: readonly T[]): T[];
  /** `host:port` to listen at; port 0 takes a free one. */
  listen(name: string, about: string, fallback?: string): string;
  peer(name: string, about: string): string;
  list(name: string, about: string, fallback?: readonly string[]): string[];
  parsed<T>(name: string, about: string, fallback: string | undefined, parse: (text: string) => T, beyond?: Beyond): T;
}

const longest = "3650d";
const largest = "8388607GiB";

const settingsRead = new WeakMap<NodeJS.ProcessEnv, Setting[]>();

/** Returns the settings that were read from this environment, in order, for the settings page. */
export const settingsReadFrom = (env: NodeJS.ProcessEnv): readonly Setting[] => settingsRead.get(env) ?? [];

/** Reads a configuration from environment variables. Throws one error that names every missing or malformed one. */
export function readSettings<T>(env: NodeJS.ProcessEnv, read: (settings: Settings) => T): T {
  const wrong: string[] = [];
  const seen: Setting[] = [];
  settingsRead.set(env, seen);
  const get = (name: string) => (env[name] === "" ? undefined : env[name]);
  function parsed<V>(
    name: string,
    about: string,
    fallback: string | undefined,
    parse: (text: string) => V,
    beyond?: Beyond,
  ): V {
    seen.push({ name, about, required: fallback === undefined, fallback, ...beyond });
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
    int: (name, about, fallback, { min, max, ...beyond } = {}) =>
      parsed(name, about, fallback?.toString(), within("a whole number", parseWhole, { min, max }), beyond),
    bool: (name, about, fallback) =>
      parsed(name, about, String(fallback), (text) => {
        if (!/^(true|false|1|0)$/.test(text)) throw new Error(`must be true or false, not "${text}"`);
        return text === "true" || text === "1";
      }),
    duration: (name, about, fallback, { min, max = longest, ...beyond } = {}) =>
      parsed(name, about, fallback, within("a time", parseDuration, { min, max }), beyond),
    size: (name, about, fallback, { min, max = largest, ...beyond } = {}) =>
      parsed(name, about, fallback, within("a size", parseSize, { min, max }), beyond),
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

export interface ServiceConfig {
  listen: string;
  adminListen: string;
  logLevel: string;
  mongoUrl: string;
  mongoDb: string;
  natsUrl: string;
  subjectPrefix: string;
  /** How long to keep serving after shutdown begins and readiness turns false. */
  stopDelayMs: number;
  stopGraceMs: number;
  identity: IdentityConfig;
}

const levels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export const logLevel = (s: Settings): string =>
  s.oneOf(
    "LOG_LEVEL",
    "least severe log lines to write: `trace`, `debug`, `info`, `warn`, `error`, `fatal`, `silent` for none",
    levels,
    "info",
  );

/** The driver takes what follows an `@` or `/` in a password for a host, and its errors quote that. */
const escapedMongoUrl = /^[^:]+:\/\/([^@/?:]*(:[^@/?:]*)?@)?[^@/?]+(\/[^@?]*)?(\?.*)?$/;

// Errors do not quote these two URLs: they may hold a password.
const mongoUrl = (s: Settings): string =>
  s.parsed("MONGO_URL", "URL of MongoDB, with user and password", undefined, (text) => {
    if (!/^mongodb(\+srv)?:\/\//.test(text)) throw new Error("must begin with mongodb:// or mongodb+srv://");
    if (!escapedMongoUrl.test(text))
      throw new Error(
        "must be mongodb://user:password@host:port, with `:`, `/`, `?` and `@` of user and password as %3A, %2F, %3F and %40",
      );
    return text;
  });

export const natsUrl = (s: Settings): string =>
  s.parsed(
    "NATS_URL",
    "URL of NATS, `nats://` or `tls://`; it may name a user, several servers separated by commas, and with `?tlsCAFile=` the authorities to trust",
    undefined,
    (text) => {
      try {
        natsServers(text);
      } catch {
        throw new Error(
          "must be nats://host:port or tls://host:port, or several separated by commas; tlsCAFile needs tls://",
        );
      }
      return text;
    },
  );

export const subjectPrefix = (s: Settings): string =>
  s.parsed("SUBJECT_PREFIX", "first part of the names of all NATS subjects", "ci", (text) => {
    if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(text))
      throw new Error(`must be words joined by dots, without blanks, * and >, not "${text}"`);
    return text;
  });

export const stopConfig = (s: Settings): Pick<ServiceConfig, "stopDelayMs" | "stopGraceMs"> => ({
  stopDelayMs: s.duration(
    "STOP_DELAY",
    "how long a service keeps serving after a stop signal, while it reports that it is not ready",
    "0s",
    { max: timer.max },
  ),
  stopGraceMs: s.duration("STOP_GRACE", "how long running calls may take to end after `STOP_DELAY`", "20s", {
    max: timer.max,
  }),
});

const settingOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** Reads how a service proves its name to the `peers` that it calls, such as `{ buildsAddr: "127.0.0.1:8080" }`. */
export const identityWith = (
  s: Settings,
  service: ServiceName,
  peers: Readonly<Record<string, string>>,
  listen?: string,
): IdentityConfig => {
  const called = Object.entries(peers).map(([name, address]) => [settingOf(name), address]);
  return identityConfig(s, service, { LISTEN: listen, ...Object.fromEntries(called) });
};

/** Reads what every service with a database has. `peers` are the services that it calls. */
export function serviceConfig<P extends Readonly<Record<string, string>>>(
  s: Settings,
  service: ServiceName,
  peers: P,
): ServiceConfig & P {
  const listen = s.listen("LISTEN", "host:port where the service listens; port 0 takes a free port", "127.0.0.1:0");
  return {
    listen,
    adminListen: s.listen(
      "ADMIN_LISTEN",
      "host:port where the service serves `/healthz`, `/readyz` and `/metrics`",
      "127.0.0.1:0",
    ),
    logLevel: logLevel(s),
    mongoUrl: mongoUrl(s),
    mongoDb: s.str("MONGO_DB", "name of the service's database in MongoDB", `ci_${service}`),
    natsUrl: natsUrl(s),
    subjectPrefix: subjectPrefix(s),
    ...stopConfig(s),
    ...peers,
    identity: identityWith(s, service, peers, listen),
  };
}

export const keyring = (s: Settings): Keyring =>
  s.parsed(
    "SECRET_KEYS",
    "encryption keys as `id:base64 of 32 bytes`, separated by commas; the first one encrypts, all decrypt",
    undefined,
    parseKeys,
  );

export const rotationConfig = (
  service: string,
  env: NodeJS.ProcessEnv = process.env,
): { mongoUrl: string; mongoDb: string; keyring: Keyring } =>
  readSettings(env, (s) => ({
    mongoUrl: mongoUrl(s),
    mongoDb: s.str("MONGO_DB", "name of the service's database in MongoDB", `ci_${service}`),
    keyring: keyring(s),
  }));

export const backupConfig = (env: NodeJS.ProcessEnv = process.env): { mongoUrl: string } =>
  readSettings(env, (s) => ({ mongoUrl: mongoUrl(s) }));
