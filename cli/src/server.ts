import { UsageError } from "./exit.js";

/** Returns the base address of a server, without a slash at its end. A complaint begins with `place`. */
export function serverUrl(text: string, place = ""): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${place}"${text}" is not the address of a server. It begins with https:// or http://`);
  if (url.username || url.password || url.search || url.hash)
    throw new UsageError(
      `${place}"${text}" is not the address of a server: leave out the user, the query and the fragment`,
    );
  return url.href.replace(/\/+$/, "");
}

export function isAddressOf(server: string, text: string): boolean {
  try {
    return serverUrl(text) === server;
  } catch {
    return false;
  }
}

const local = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Reports whether a token would travel to this server in plain text. */
export function isPlain(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === "http:" && !local.test(hostname);
}
