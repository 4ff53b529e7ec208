import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "@ci/kit/rpc/fault";
import Docker from "dockerode";
import { DiskFull, HostTrouble } from "../../endings/errors.js";
import type { DockerConfig } from "./docker-config.js";

/** Connects to an engine. Every setting is given, because the library would read missing ones from the environment. */
export function connectEngine({ host, certPath }: Pick<DockerConfig, "host" | "certPath">): Docker {
  const none = { host: undefined, port: undefined, socketPath: undefined, timeout: undefined };
  if (host.startsWith("unix://")) return new Docker({ ...none, socketPath: host.slice("unix://".length) });
  const { protocol, hostname, port } = new URL(host.includes("://") ? host : `tcp://${host}`);
  if (!["tcp:", "http:", "https:"].includes(protocol)) throw new Error(`DOCKER_HOST: ${protocol}// is not supported`);
  const pem = (name: string) => (certPath ? readFileSync(join(certPath, name)) : undefined);
  const secure = certPath !== undefined || protocol === "https:";
  return new Docker({
    ...none,
    protocol: secure ? "https" : "http",
    host: hostname,
    port: port || (secure ? 2376 : 2375),
    ca: pem("ca.pem"),
    cert: pem("cert.pem"),
    key: pem("key.pem"),
  });
}

/**
 * Returns options that dockerode sends as the body of a request only. It would repeat them in the URL, where 1 MiB is too
 * much, and where the logs of engines and proxies would show the secrets of a build.
 */
export const inBody = <T extends object>(options: T): T => ({ _query: {}, _body: options }) as unknown as T;

export const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode;

/** What the engine says when its host is in trouble. Matches at the end only, because names that users chose may come before. */
const hostTroubles: readonly (readonly [RegExp, string, typeof HostTrouble?])[] = [
  [
    /(?:no space left on device|disk quota exceeded|input\/output error|too many open files)(?:: unknown)?\s*$/i,
    "The disk of the engine is full or does not work",
    DiskFull,
  ],
  [
    /(?:non-overlapping IPv4 address pool among the defaults to assign to the network|all predefined address pools have been fully subnetted)\s*$/,
    "Docker Engine has no addresses left for another network",
  ],
  [/^No such image: sha256:[0-9a-f]{64}\s*$/, "An image was removed from Docker Engine before its build used it"],
];

/** The engine refused a request. Its own words contain paths of its host: they are the cause, for the log. */
export class EngineRefusal extends Fault {
  constructor(cause: unknown) {
    super("precondition", "The container engine refuses this; the runner's log says why", undefined, { cause });
  }
}

/** Replaces the message of a refusal. */
export const refusedWith =
  (message: string) =>
  (error: unknown): never => {
    throw error instanceof EngineRefusal
      ? new Fault("precondition", message, undefined, { cause: error.cause })
      : error;
  };

/** Returns an engine's own words, without the client's frame. Users must not see them. */
export const wordsOf = (error: unknown): string => {
  const { message = "" } = error as { message?: string };
  return (/^\(HTTP code \d+\) .*? - (.*)$/s.exec(message)?.[1] ?? message).trim();
};

/** A proxy before the engine answers like that while the engine is away. */
export const isGatewayError = (error: unknown): boolean => [502, 503, 504].includes(statusOf(error) ?? 0);

/** Returns what an error of the engine means, in constant words. */
export function engineError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === "connect" || isGatewayError(error))
    return new HostTrouble("Docker Engine cannot be reached", { cause: error });
  if (code === "ECONNRESET" || code === "EPIPE")
    return new HostTrouble("The connection to Docker Engine was lost", { cause: error });
  if (statusOf(error) === undefined) return error;
  const words = wordsOf(error);
  const trouble = hostTroubles.find(([pattern]) => pattern.test(words));
  const [, message, Kind = HostTrouble] = trouble ?? [];
  if (message !== undefined) return new Kind(message, { cause: error });
  return new EngineRefusal(error);
}

export async function engineCall<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw engineError(error);
  }
}

export async function ignoreNotFound(removal: Promise<unknown>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (statusOf(error) !== 404) throw engineError(error);
  }
}
