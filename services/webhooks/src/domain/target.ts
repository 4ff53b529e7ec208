export interface Target {
  readonly payloadUrl: string;
  readonly ssl: boolean;
}

const urlParts = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#\\]*))?/i;

const isLocalhost = (host: string): boolean => /(^|\.)localhost\.?$/.test(host);

/** `blocked` judges literal addresses and localhost names. Other names are checked when a connection resolves them. */
export function targetErrors({ payloadUrl, ssl }: Target, blocked: (url: URL) => boolean): string[] {
  if (payloadUrl === "") return ["Payload URL field required"];
  const [, scheme = "", authority = ""] = urlParts.exec(payloadUrl) ?? [];
  if (!/^https?$/i.test(scheme)) return ["Payload URL missing http or https scheme"];
  // URL parsers read "http:///x" as the host x, so look at the text between the slashes.
  if (authority === "" || !URL.canParse(payloadUrl)) return ["Payload URL missing host"];
  const url = new URL(payloadUrl);
  const errors: string[] = [];
  if (blocked(url))
    errors.push(isLocalhost(url.hostname) ? "Payload URL cannot be localhost" : "Payload URL address not allowed");
  if (authority.includes("@")) errors.push("Payload URL cannot contain credentials");
  if (ssl && url.protocol !== "https:") errors.push("Payload URL cannot use SSL for plain http URL");
  return errors;
}

/** Returns the normalized URL: equal for two spellings of the same address. */
export const targetKey = (payloadUrl: string): string => new URL(payloadUrl).href;

/** Returns scheme, host and port. */
export const originOf = (payloadUrl: string): string => new URL(payloadUrl).origin;
