import type { Repository_Provider } from "@ci/proto/builds/v1/repositories";
import { at, textAt } from "./payload.js";

/** A hook that should be registered with a provider. */
interface WantedHook {
  readonly url: string;
  readonly secret: string;
}

/** The provider's API for a repository's hooks. Paths are relative to the repository's. */
export interface HookApi {
  readonly list: string;
  /** Returns the URL that a listed hook sends to. */
  urlOf(listed: unknown): string;
  readonly updateMethod: "PATCH" | "PUT";
  body(hook: WantedHook): object;
}

const events = ["push", "pull_request"];

export const hookApis: Readonly<Record<Repository_Provider, HookApi>> = {
  github: {
    list: "/hooks?per_page=100",
    urlOf: (listed) => textAt(listed, "config", "url"),
    updateMethod: "PATCH",
    body: ({ url, secret }) => ({
      name: "web",
      active: true,
      events,
      config: { url, secret, content_type: "json", insecure_ssl: "0" },
    }),
  },
  gitlab: {
    list: "/hooks?per_page=100",
    urlOf: (listed) => textAt(listed, "url"),
    updateMethod: "PUT",
    body: ({ url, secret }) => ({
      url,
      token: secret,
      push_events: true,
      tag_push_events: true,
      merge_requests_events: true,
      enable_ssl_verification: true,
    }),
  },
  gitea: {
    list: "/hooks?limit=50",
    urlOf: (listed) => textAt(listed, "config", "url"),
    updateMethod: "PATCH",
    body: ({ url, secret }) => ({
      type: "gitea",
      active: true,
      events,
      config: { url, secret, content_type: "json" },
    }),
  },
};

/** Returns the ids of the listed hooks that send to this URL. */
export function hooksTo(api: HookApi, listed: unknown, url: string): string[] {
  const hooks = Array.isArray(listed) ? listed : [];
  return hooks.flatMap((hook) => (api.urlOf(hook) === url && at(hook, "id") ? [textAt(hook, "id")] : []));
}
