import type { Answer, Received } from "@ci/testkit/receiver";
import type { ProviderName } from "./_hooks.js";

interface StoredHook {
  readonly id: number;
  body: Record<string, unknown>;
}

/** Paths of the providers' APIs, and what each expects: the header with the token, and the method that changes a hook. */
const apis = {
  github: { path: /^\/api\/v3\/repos\/([^/]+\/[^/]+)\/hooks(?:\/(\d+))?(?:\?|$)/, update: "PATCH" },
  gitlab: { path: /^\/api\/v4\/projects\/([^/]+)\/hooks(?:\/(\d+))?(?:\?|$)/, update: "PUT" },
  gitea: { path: /^\/api\/v1\/repos\/([^/]+\/[^/]+)\/hooks(?:\/(\d+))?(?:\?|$)/, update: "PATCH" },
} as const;

const tokenIn = (headers: Received["headers"]) =>
  headers["private-token"] ?? String(headers.authorization ?? "").replace(/^(Bearer|token) /, "");

const json = (status: number, value: unknown): Answer => ({
  status,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
});

/** Plays the APIs about hooks of GitHub, GitLab and Gitea: answers requests and keeps the hooks of each repository. */
export function providerHooks(token: string) {
  const hooks = new Map<string, StoredHook[]>();
  let count = 0;
  /** A hook as the provider shows it: without its secret. */
  function shown(provider: ProviderName, { id, body }: StoredHook): object {
    if (provider === "gitlab") return { ...body, id, token: undefined };
    return { ...body, id, config: { ...(body.config as object), secret: "********" } };
  }
  function change(provider: ProviderName, { method, body }: Received, stored: StoredHook[], id?: string): Answer {
    const sent = body.length > 0 ? JSON.parse(body.toString()) : {};
    if (method === "GET" && !id)
      return json(
        200,
        stored.map((hook) => shown(provider, hook)),
      );
    if (method === "POST" && !id) {
      const hook = { id: ++count, body: sent };
      stored.push(hook);
      return json(201, shown(provider, hook));
    }
    const at = stored.findIndex((hook) => String(hook.id) === id);
    if (at < 0) return json(404, { message: "Not Found" });
    if (method === apis[provider].update) stored[at]!.body = sent;
    else if (method === "DELETE") stored.splice(at, 1);
    else return json(405, {});
    return method === "DELETE" ? { status: 204 } : json(200, shown(provider, stored[at]!));
  }
  const repository = (path: string): StoredHook[] => {
    const found = hooks.get(path) ?? [];
    hooks.set(path, found);
    return found;
  };
  return {
    /** Returns the hooks of a repository as they were sent. */
    of: (path: string) => repository(path).map(({ body }) => body),
    answer(request: Received): Answer {
      for (const [provider, { path }] of Object.entries(apis) as [ProviderName, (typeof apis)["github"]][]) {
        const [, name, id] = path.exec(request.path) ?? [];
        if (!name) continue;
        // Providers hide what a token may not see.
        if (tokenIn(request.headers) !== token) return json(404, { message: "Not Found" });
        return change(provider, request, repository(decodeURIComponent(name)), id);
      }
      return { status: 201 };
    },
  };
}
