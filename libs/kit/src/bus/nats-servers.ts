/**
 * Splits URLs into servers and the common user, because the nats package ignores what precedes an `@`. It also ignores the
 * scheme: with `tls`, it refuses a server that does not offer TLS.
 */
export function natsServers(text: string): { servers: string[]; user?: string; pass?: string; tls?: object } {
  const urls = text.split(",").map((one) => new URL(one.includes("://") ? one.trim() : `nats://${one.trim()}`));
  const { username, password } = urls[0]!;
  const servers = urls.map(({ host }) => host);
  const tls = urls.some(({ protocol }) => protocol === "tls:") ? { tls: {} } : {};
  if (username === "") return { servers, ...tls };
  return { servers, user: decodeURIComponent(username), pass: decodeURIComponent(password), ...tls };
}
