/** Where a webhook sends to, as the caller wrote it, and whether it insists on TLS. */
export interface Target {
  readonly payloadUrl: string;
  readonly ssl: boolean;
}

const written = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#\\]*))?/i;

const isLocalhost = (host: string): boolean => /(^|\.)localhost\.?$/.test(host);

/**
 * What is wrong with a target; `blocked` says whether its address may be connected to at all.
 * Only what stands in the URL is judged here: names are judged by what they resolve to, at each connection.
 */
export function targetComplaints({ payloadUrl, ssl }: Target, blocked: (url: URL) => boolean): string[] {
  if (payloadUrl === "") return ["Payload URL field required"];
  const [, scheme = "", authority = ""] = written.exec(payloadUrl) ?? [];
  if (!/^https?$/i.test(scheme)) return ["Payload URL missing http or https scheme"];
  // A URL parser takes "http:///x" for the host x: what stands between the slashes decides.
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (host === "" || host.startsWith(":") || !URL.canParse(payloadUrl)) return ["Payload URL missing host"];
  const url = new URL(payloadUrl);
  const complaints: string[] = [];
  if (blocked(url))
    complaints.push(isLocalhost(url.hostname) ? "Payload URL cannot be localhost" : "Payload URL address not allowed");
  if (authority.includes("@")) complaints.push("Payload URL cannot contain credentials");
  if (ssl && url.protocol !== "https:") complaints.push("Payload URL cannot use SSL for plain http URL");
  return complaints;
}

/** What two URLs have in common that mean the same address: scheme, host and port in one spelling. */
export const targetKey = (payloadUrl: string): string => new URL(payloadUrl).href;
