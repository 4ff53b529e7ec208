/** The parameters in a page's path. */
export type Params = Readonly<Record<string, string>>;

export interface Route<T> {
  readonly pattern: string;
  readonly page: T;
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Returns the parameters of a path if it matches a pattern. `:path` matches several segments, up to a lone dash. */
function valuesAt(pattern: string, path: string): Params | undefined {
  const parts = pattern.slice(1).split("/");
  const segments = path.slice(1).replace(/\/$/, "").split("/").map(decoded);
  const values: Record<string, string> = {};
  let at = 0;
  for (const part of parts) {
    const segment = segments[at];
    if (segment === undefined) return undefined;
    if (part === ":path") {
      const dash = segments.indexOf("-", at);
      const end = dash < 0 ? segments.length : dash;
      if (end === at) return undefined;
      values.path = segments.slice(at, end).join("/");
      at = end;
      continue;
    }
    if (part.startsWith(":")) values[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
    at++;
  }
  return at === segments.length ? values : undefined;
}

/** Returns the first route that a path below the base matches. */
export function findRoute<T>(routes: readonly Route<T>[], path: string): { page: T; params: Params } | undefined {
  for (const { pattern, page } of routes) {
    const params = valuesAt(pattern, path);
    if (params) return { page, params };
  }
  return undefined;
}

/** Returns the path below the base; undefined for the URL of another site or program. */
export function below(base: string, path: string): string | undefined {
  if (path === base) return "/";
  return path.startsWith(`${base}/`) ? path.slice(base.length) : undefined;
}

/** Returns the path, query and fragment of a page of ours; undefined for the URL of another site or program. */
export function ownPage(base: string, origin: string, next: string): string | undefined {
  if (!next.startsWith("/") || !URL.canParse(next, origin)) return undefined;
  const url = new URL(next, origin);
  const isOurs = url.origin === origin && url.pathname.startsWith(`${base}/`) && !url.pathname.startsWith("//");
  return isOurs ? url.pathname + url.search + url.hash : undefined;
}

export interface Site {
  readonly publicUrl: string;
  /** The path of the public URL, without trailing slash. */
  readonly base: string;
  readonly origin: string;
}

/** Returns the page for the URL of a record; undefined for another site's URL. */
export function pageAt({ publicUrl, base, origin }: Site, url: string): string | undefined {
  if (url === publicUrl) return base;
  const isBelow = url.startsWith(`${publicUrl}/`);
  return isBelow ? ownPage(base, origin, base + url.slice(publicUrl.length)) : undefined;
}

/** The part of an output that an address names: `#job:L120`, or a job alone. */
export interface Place {
  readonly job?: string | undefined;
  readonly line?: number | undefined;
}

export function placeIn(hash: string): Place {
  const [, job, line] = /^#(.*?)(?::L(\d+))?$/.exec(hash) ?? [];
  return { job: (job && decoded(job)) || undefined, line: line ? Number(line) : undefined };
}

export const lineId = (job: string, line: number): string => `${encodeURIComponent(job)}:L${line}`;
