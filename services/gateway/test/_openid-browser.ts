import type { Constellation } from "@ci/testkit/constellation";
import type { OpenidProvider } from "@ci/testkit/openid-provider";

interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly strict: boolean;
}

export interface Shown {
  readonly status: number;
  /** The address after all redirects. */
  readonly url: URL;
  readonly text: string;
}

const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
const maxRedirects = 15;

/** A browser without scripts: it has cookies, and follows redirects between the gateway and the provider. */
export function openidBrowser(ci: Constellation, provider: OpenidProvider) {
  const jars: Record<string, Map<string, Cookie>> = {};
  const jarOf = ({ host }: URL) => {
    jars[host] ??= new Map();
    return jars[host];
  };
  const cookieFor = (url: URL, fromElsewhere: boolean) =>
    [...jarOf(url)]
      .filter(([, { path, strict }]) => url.pathname.startsWith(path) && !(strict && fromElsewhere))
      .map(([name, { value }]) => `${name}=${value}`)
      .join("; ");
  function keep(url: URL, headers: Headers): void {
    for (const header of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      const gone = value === "" || /max-age=0\b/i.test(header);
      const [, path = "/"] = /path=([^;]+)/i.exec(header) ?? [];
      if (gone) jarOf(url).delete(name);
      else jarOf(url).set(name, { value, path, strict: /samesite=strict/i.test(header) });
    }
  }

  async function send(url: URL, fromElsewhere: boolean, init: RequestInit = {}) {
    // The public URL does not resolve.
    const reached = url.href.replace(new URL(ci.url).origin, ci.origin);
    const headers = { accept, cookie: cookieFor(url, fromElsewhere), ...init.headers };
    const response = await fetch(reached, { redirect: "manual", ...init, headers });
    keep(url, response.headers);
    return response;
  }

  /** Opens an address, and follows redirects until `stopAt` is part of one. */
  async function open(address: string, { init, stopAt }: { init?: RequestInit; stopAt?: string } = {}): Promise<Shown> {
    let url = new URL(address);
    let fromElsewhere = false;
    let sent = init;
    for (let hops = 0; hops < maxRedirects; hops++) {
      if (stopAt && url.href.includes(stopAt)) return { status: 0, url, text: "" };
      const response = await send(url, fromElsewhere, sent);
      const location = response.headers.get("location");
      if (!location) return { status: response.status, url, text: await response.text() };
      const next = new URL(location, url);
      fromElsewhere ||= next.host !== url.host;
      [url, sent] = [next, undefined];
    }
    throw new Error(`More than ${maxRedirects} redirects, the last one to ${url}`);
  }

  /** Fills in the provider's form, if it shows one. */
  const answer = (at: Shown, fields: Record<string, string>, stopAt?: string): Promise<Shown> | Shown =>
    at.text.includes('name="login"')
      ? open(at.url.href, { init: { method: "POST", body: new URLSearchParams(fields) }, stopAt })
      : at;

  const begin = (query = "") => open(`${ci.url}/-/sign-in/oidc${query}`);
  return {
    open,
    answer,
    begin,
    cookies: () => jarOf(new URL(ci.url)),
    /** Signs in with this login, or with the one that the provider remembers. */
    signIn: async (login: string, query = "") => answer(await begin(query), { login }),
    /** Returns the address of the callback, without opening it. */
    callbackFor: async (login: string, query = "") =>
      (await answer(await begin(query), { login }, "/callback?")).url.href,
    /** Forgets who is signed in at the provider. */
    forgetProvider: () => jarOf(new URL(provider.issuer)).clear(),
    /** Sends a request of the page with the session's cookie. */
    // biome-ignore lint/suspicious/noExplicitAny: tests read records field by field
    async api(method: string, path: string): Promise<{ status: number; json: any }> {
      const headers = { accept: "application/json", origin: new URL(ci.url).origin };
      const response = await send(new URL(ci.url + path), false, { method, headers });
      const text = await response.text();
      return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
    },
  };
}

export type OpenidBrowser = ReturnType<typeof openidBrowser>;
