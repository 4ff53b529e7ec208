import { createHmac, randomUUID } from "node:crypto";
import type { Answer, Received } from "@ci/testkit/receiver";

interface Hook {
  readonly id: number;
  readonly config: { readonly url: string; readonly secret: string };
}

export interface Gitea {
  readonly answer: (request: Received) => Answer;
  /** Returns the calls of repositories: method and path. */
  calls(): readonly string[];
  hooksOf(name: string): readonly Hook[];
  /** Sends a push to a hook, by default to the registered one. Returns the status of the response. */
  push(name: string, sha: string, message: string, hook?: Hook["config"]): Promise<number>;
}

const json = (status: number, value: unknown): Answer => ({
  status,
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
});

/** Plays the API of Gitea about repositories, their hooks and commit statuses, for one access token. */
export function gitea(token: string): Gitea {
  const calls: string[] = [];
  const hooks = new Map<string, Hook[]>();
  let count = 0;
  const hooksOf = (name: string): Hook[] => {
    const found = hooks.get(name) ?? [];
    hooks.set(name, found);
    return found;
  };

  function answer({ method, path, headers, body }: Received): Answer {
    const [, name, what, id] = /^\/api\/v1\/repos\/([^/]+\/[^/?]+)(\/[a-z]+)?(?:\/(\w+))?/.exec(path) ?? [];
    if (!name) return json(404, { message: "not found" });
    if (headers.authorization !== `token ${token}`) return json(401, { message: "token is required" });
    calls.push(`${method} ${name}${what ?? ""}${id === undefined ? "" : `/${id}`}`);
    const stored = hooksOf(name);
    if (what === undefined) return json(200, { id: 7, full_name: name, default_branch: "main" });
    if (what !== "/hooks") return json(201, {});
    if (method === "GET") return json(200, stored);
    const at = stored.findIndex((hook) => String(hook.id) === id);
    if (method === "DELETE") {
      stored.splice(at, 1);
      return { status: 204 };
    }
    const { config } = JSON.parse(body.toString()) as Pick<Hook, "config">;
    if (method === "POST") stored.push({ id: ++count, config });
    else stored[at] = { ...stored[at]!, config };
    return json(method === "POST" ? 201 : 200, stored.at(-1));
  }

  return {
    answer,
    calls: () => calls,
    hooksOf,
    async push(name, sha, message, hook = hooksOf(name)[0]!.config) {
      const head_commit = { id: sha, message, author: { email: "grace@example.com", username: "grace" } };
      const repository = { id: 7, default_branch: "main" };
      const body = JSON.stringify({ ref: "refs/heads/main", after: sha, head_commit, repository });
      const headers = {
        "Content-Type": "application/json",
        "X-Gitea-Event": "push",
        "X-Gitea-Delivery": randomUUID(),
        "X-Gitea-Signature": createHmac("sha256", hook.secret).update(body).digest("hex"),
      };
      return (await fetch(hook.url, { method: "POST", headers, body })).status;
    },
  };
}
