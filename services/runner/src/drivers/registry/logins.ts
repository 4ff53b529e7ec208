import { Fault } from "@ci/kit/rpc/fault";
import { dockerHub, placeOf, registryOf } from "./place.js";

export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Returns the login for an image: that of its repository, of the nearest folder above it, or of its registry. */
export type Logins = (image: string) => Login | undefined;

/** The variable whose value is the content of a Docker config file. */
export const loginVariable = "DOCKER_AUTH_CONFIG";

const invalid = (): Fault =>
  new Fault("invalid", `${loginVariable} is not the content of a Docker config file with \`auths\``);

/** Config files name registries by host or URL. Another path is that of a repository or a folder of them. */
function placeIn(key: string): string {
  const [, host = "", path = ""] = /^(?:https?:\/\/)?([^/]*)(.*)$/is.exec(key) ?? [];
  const name = host.toLowerCase();
  const registry = ["index.docker.io", "registry-1.docker.io"].includes(name) ? dockerHub : name;
  return /^\/v[12]\/?$/.test(path) ? registry : `${registry}${path.replace(/\/$/, "")}`;
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
    const login = loginIn(entry);
    if (login) logins.set(placeIn(key), login);
  }
  return (image) => {
    let place = `${registryOf(image)}/${placeOf(image).repository}`;
    while (!logins.has(place) && place.includes("/")) place = place.slice(0, place.lastIndexOf("/"));
    return logins.get(place);
  };
}

/** Returns the value of an `Authorization` header. */
export const basic = ({ username, password }: Login): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
