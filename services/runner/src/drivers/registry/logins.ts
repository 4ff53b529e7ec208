import { Fault } from "@ci/kit/rpc/fault";
import { dockerHub } from "./place.js";

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Returns the login for a registry, if there is one. */
export type Logins = (registry: string) => Login | undefined;

/** The variable whose value is the content of a Docker config file. */
export const loginVariable = "DOCKER_AUTH_CONFIG";

const invalid = (): Fault =>
  new Fault("invalid", `${loginVariable} is not the content of a Docker config file with \`auths\``);

/** Config files name registries by host or URL. Another path stands for a repository, or for a token that is no login. */
function registryIn(key: string): string | undefined {
  const [, host = "", path = ""] = /^(?:https?:\/\/)?([^/]*)(.*)$/is.exec(key) ?? [];
  if (!/^\/?$|^\/v[12]\/?$/.test(path)) return undefined;
  const name = host.toLowerCase();
  return ["index.docker.io", "registry-1.docker.io"].includes(name) ? dockerHub : name;
}

function loginIn(entry: unknown): Login | undefined {
  if (typeof entry !== "object" || entry === null) throw invalid();
  const { auth, username, password } = entry as Readonly<Record<string, unknown>>;
  if (typeof username === "string" && typeof password === "string") return { username, password };
  if (typeof auth !== "string" || auth === "") return undefined;
  const text = Buffer.from(auth, "base64").toString();
  const colon = text.indexOf(":");
  if (colon < 0) throw invalid();
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Reads the content of a Docker config file. Helpers and stores of credentials count as no login. */
export function loginsOf(text: string | undefined): Logins {
  if (text === undefined || text.trim() === "") return () => undefined;
  let auths: unknown;
  try {
    ({ auths } = JSON.parse(text));
  } catch {
    throw invalid();
  }
  if (typeof auths !== "object" || auths === null) throw invalid();
  const logins = new Map<string, Login>();
  for (const [key, entry] of Object.entries(auths)) {
    const registry = registryIn(key);
    const login = loginIn(entry);
    if (registry !== undefined && login) logins.set(registry, login);
  }
  return (registry) => logins.get(registry);
}

/** Returns the value of an `Authorization` header. */
export const basic = ({ username, password }: Login): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
