import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "@ci/kit/rpc/fault";
import Docker from "dockerode";
import { HostTrouble } from "../../work/errors.js";
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

export const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode;

const hostTrouble = /no space left on device|disk quota exceeded|input\/output error|too many open files/i;

export const engineFault = (said: string, cause: unknown): Fault | HostTrouble =>
  hostTrouble.test(said)
    ? new HostTrouble(said.trim(), { cause })
    : new Fault("precondition", said.trim(), undefined, { cause });

/** Returns an engine's error in the engine's own words, without the client's frame. */
export function engineError(error: unknown): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (syscall === "connect") return new HostTrouble("Docker Engine cannot be reached", { cause: error });
  if (code === "ECONNRESET") return new HostTrouble("The connection to Docker Engine was lost", { cause: error });
  if (statusOf(error) === undefined) return error;
  return engineFault(/^\(HTTP code \d+\) .*? - (.*)$/s.exec(message)?.[1] ?? message, error);
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
