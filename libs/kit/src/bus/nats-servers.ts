/** Splits URLs into servers and the common user, because the nats package ignores what precedes an `@`. */
export function natsServers(text: string): { servers: string[]; user?: string; pass?: string } {
  const urls = text.split(",").map((one) => new URL(one.includes("://") ? one.trim() : `nats://${one.trim()}`));
  const { username, password } = urls[0]!;
  const servers = urls.map(({ host }) => host);
  if (username === "") return { servers };
  return { servers, user: decodeURIComponent(username), pass: decodeURIComponent(password) };
}
