import { ApiError, type components, createClient, serverClock } from "@service-ci/client";
import { below, pageAt } from "./routes.js";

type Schemas = components["schemas"];
export type Build = Schemas["Build"];
/** A build inside another record, without the fields that are always null. */
export type BuildCopy = Omit<Schemas["BuildCopy"], "output">;
export type Job = Omit<Schemas["Job"], "build">;
export type Artifact = Omit<Schemas["Artifact"], "build" | "job"> & { readonly job: Pick<Job, "name"> };
export type Namespace = Omit<Schemas["Namespace"], "build"> & { readonly build: BuildCopy | null };
export type Identity = Schemas["Identity"];
export type Test = Schemas["Test"];
export type Account = Schemas["Account"];
export type AuditEntry = Schemas["AuditEntry"];
export type Queue = Schemas["Queue"];
export type Runner = Schemas["Runner"];
export type Session = Schemas["Session"];

const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";

const publicUrl = setting("public-url");

/** The OpenID Connect provider's name; empty if there is none. */
export const provider = setting("sign-in-with");

/** The path of the public URL, without trailing slash. */
export const base = new URL(publicUrl, location.origin).pathname.replace(/\/$/, "");

const refused = new EventTarget();

/** Calls `heard` when the server refuses the session, until the returned function is called. */
export function onUnauthorized(heard: () => void): () => void {
  refused.addEventListener("refused", heard);
  return () => refused.removeEventListener("refused", heard);
}

export const serverTime = serverClock();

/** Talks to the server that the page came from. The browser adds the cookie of the session. */
export const client = createClient({
  url: location.origin + base,
  publicUrl,
  fetch: serverTime.timed(async (request) => {
    const response = await fetch(request);
    if (response.status === 401) refused.dispatchEvent(new Event("refused"));
    return response;
  }),
});

/** Returns this page's address for the URL of a record; undefined for another site's URL. */
export const pageOf = (url: string): string | undefined => pageAt({ publicUrl, base, origin: location.origin }, url);

/** Returns the path of the open page, below the base. */
export const currentPath = (): string => below(base, location.pathname) ?? location.pathname;

/** Returns the page to sign in, which leads back to the open page. */
export const signInPage = (): string =>
  `${base}/-/sign-in?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`;

export const isUnauthorized = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** The other pages of a list (RFC 8288). */
export interface Pages {
  readonly prev?: number | undefined;
  readonly next?: number | undefined;
}

export function pagesIn(response: Response): Pages {
  const links = response.headers.get("link") ?? "";
  const page = (rel: string) => {
    const number = new RegExp(`[?&]page=(\\d+)[^>]*>; rel="${rel}"`).exec(links)?.[1];
    return number === undefined ? undefined : Number(number);
  };
  return { prev: page("prev"), next: page("next") };
}
