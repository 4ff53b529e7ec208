import type { Settings } from "@ci/kit/process/config";

/** How users sign in with an OpenID Connect provider. */
export interface OpenidConfig {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  readonly usernameClaim: string;
  readonly groupsClaim: string;
  /** The provider's name on the page. */
  readonly name: string;
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);

const issuerOf = (allowHttp: boolean) => (text: string) => {
  if (text === "") return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username)
    throw new Error(`must be an https URL without query, fragment and user, not "${text}"`);
  if (url.protocol === "http:" && !allowHttp && !isLoopback(url))
    throw new Error(`must be an https URL, not "${text}"; OIDC_ALLOW_HTTP=true allows http in networks that you trust`);
  return url;
};

const scopesOf = (text: string): string => {
  const scopes = text.split(/\s+/).filter((scope) => scope !== "");
  if (!scopes.includes("openid")) throw new Error(`must contain openid, not "${text}"`);
  return scopes.join(" ");
};

/** Reads the settings of OpenID Connect; undefined without an issuer. */
export function openidConfig(s: Settings): OpenidConfig | undefined {
  const allowHttp = s.bool(
    "OIDC_ALLOW_HTTP",
    "whether `OIDC_ISSUER` may be an http URL off the loopback; the client's secret then crosses the network in plain text",
    false,
  );
  const issuer = s.parsed(
    "OIDC_ISSUER",
    "URL of the OpenID Connect provider with which users sign in to the web page; empty for none",
    "",
    issuerOf(allowHttp),
  );
  const withIssuer = (text: string) => {
    if (issuer && text === "") throw new Error("is required with OIDC_ISSUER");
    return text;
  };
  const config = {
    clientId: s.parsed("OIDC_CLIENT_ID", "client ID at the OpenID Connect provider", "", withIssuer),
    clientSecret: s.parsed("OIDC_CLIENT_SECRET", "client secret at the OpenID Connect provider", "", withIssuer),
    scopes: s.parsed("OIDC_SCOPES", "scopes that a sign-in requests", "openid profile email", scopesOf),
    usernameClaim: s.str("OIDC_USERNAME_CLAIM", "claim that holds a new user's name", "preferred_username"),
    groupsClaim: s.str("OIDC_GROUPS_CLAIM", "claim that holds a user's groups, for `OIDC_GROUP_NAMESPACES`", "groups"),
    name: s.str("OIDC_NAME", "the provider's name on the sign-in page", "OpenID Connect"),
  };
  return issuer && { issuer, ...config };
}
