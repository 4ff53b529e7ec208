interface Servers {
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly tls?: { readonly caFile?: string };
}

/**
 * Splits URLs into servers and the common user, because the nats package ignores what precedes an `@`. It also ignores the
 * scheme: with `tls`, it refuses a server that does not offer TLS. The parameter `tlsCAFile` is named as in URLs of MongoDB.
 * The package reads that file for each connection.
 */
export function natsServers(text: string): Servers {
  const urls = text.split(",").map((one) => new URL(one.includes("://") ? one.trim() : `nats://${one.trim()}`));
  const { username, password } = urls[0]!;
  const servers = urls.map(({ host }) => host);
  const caFile = urls.map(({ searchParams }) => searchParams.get("tlsCAFile")).find((file) => file !== null);
  const isTls = urls.some(({ protocol }) => protocol === "tls:");
  if (caFile !== undefined && !isTls) throw new Error("tlsCAFile needs the scheme tls://");
  const tls = isTls ? { tls: caFile ? { caFile } : {} } : {};
  if (username === "") return { servers, ...tls };
  return { servers, user: decodeURIComponent(username), pass: decodeURIComponent(password), ...tls };
}
