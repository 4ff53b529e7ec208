import { ApiError, type Client, type components, createClient, ForeignResponse, record } from "@service-ci/client";
import { type Context, type Contexts, contextNamed, fileOf, readContexts } from "./contexts.js";
import { UsageError } from "./exit.js";
import { awayNote } from "./explain.js";
import { type Io, note } from "./io.js";
import { isAddressOf, serverUrl } from "./server.js";
import { serverTime } from "./server-time.js";
import { checkToken } from "./token.js";

/** A server, and the user of its token. */
export interface Session {
  readonly client: Client;
  readonly server: string;
  /** Returns the base of the URLs in the server's records. */
  publicUrl(): Promise<string>;
  user(): Promise<components["schemas"]["Account"]>;
  username(): Promise<string>;
}

/** The server and token for a command's requests. */
export interface Target {
  readonly server: string;
  readonly token: string;
  /** The context that the server belongs to, if any. */
  readonly context?: Context | undefined;
}

const signIn = "Sign in with `ci login SERVER`, or set CI_SERVER and CI_TOKEN";

function serverOf(chosen: string | undefined, env: Io["env"], current: Context | undefined): string {
  if (chosen === undefined && env.CI_SERVER) return serverUrl(env.CI_SERVER, "CI_SERVER: ");
  const given = chosen ?? current?.server;
  if (given === undefined) throw new UsageError(`No server is configured. ${signIn}`);
  return serverUrl(given);
}

/** Chooses the server and the token: options come first, then the environment, then the contexts. */
export function targetOf({ options, env }: Pick<Io, "options" | "env">, contexts: Contexts): Target {
  const named = options.context === undefined ? undefined : contextNamed(contexts, options.context);
  const current = contexts.current === undefined ? undefined : contexts.contexts[contexts.current];
  const server = serverOf(options.server ?? named?.server, env, current);
  const same = (context: Context | undefined) => context?.server === server;
  const context = [named, current, ...Object.values(contexts.contexts)].find(same);
  // Never send a token to another server than its own.
  const isForServer = !env.CI_SERVER || isAddressOf(server, env.CI_SERVER);
  const fromEnvironment = named === undefined && isForServer ? env.CI_TOKEN || undefined : undefined;
  const token = options.token ?? fromEnvironment ?? context?.token;
  if (token === undefined) throw new UsageError(`There is no token for ${server}. Sign in with \`ci login ${server}\``);
  const name = Object.entries(contexts.contexts).find(([, it]) => it === context)?.[0];
  const placeInFile = `of the context "${name}" in ${fileOf({ env })}`;
  const place = fromEnvironment === undefined ? placeInFile : "in CI_TOKEN";
  checkToken(token, options.token === undefined ? place : "of the option --token");
  return { server, token, context: context?.token === token ? context : undefined };
}

type ClientIo = Pick<Io, "signal" | "stderr" | "options">;

/** Returns a client whose requests end when the user interrupts. */
export const clientOf = (io: ClientIo, server: string, token?: string): Client =>
  createClient({
    url: server,
    token,
    repeatSignal: io.signal,
    onRepeat: (error) => note(io, awayNote(error)),
    fetch: serverTime.timed((request) => fetch(request, { signal: AbortSignal.any([request.signal, io.signal]) })),
  });

/** Returns the base of the URLs in a server's records. Throws if the server is not Service CI. */
export async function publicUrlOf(client: Client, server: string): Promise<string> {
  const root: unknown = await record(client.api.GET("/")).catch((error) => {
    const isElsewhere = error instanceof ApiError && [401, 404].includes(error.status);
    if (error instanceof ForeignResponse || isElsewhere) return undefined;
    throw error;
  });
  const builds = root && (root as { builds_url?: unknown }).builds_url;
  if (typeof builds !== "string" || !builds.endsWith("/builds"))
    throw new UsageError(`${server} is not Service CI. Check the address, including its path`);
  return builds.slice(0, -"/builds".length);
}

export async function connect(io: Io): Promise<Session> {
  const { server, token, context } = targetOf(io, await readContexts(io));
  const client = clientOf(io, server, token);
  const user = () => record(client.api.GET("/user"));
  return {
    client,
    server,
    user,
    publicUrl: async () => context?.public_url ?? publicUrlOf(client, server),
    username: async () => context?.username ?? (await user()).username,
  };
}
