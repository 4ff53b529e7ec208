import type { components } from "@service-ci/client";
import { Copy } from "../../copy.js";
import { Ago, Status } from "../../parts.js";

type Repository = components["schemas"]["Repository"];
type Provider = Repository["provider"];

export const providerNames: Readonly<Record<Provider, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea or Forgejo",
};

/** Returns the name of a repository at its provider, such as `owner/name`. */
export const nameOf = (url: string): string =>
  new URL(url).pathname.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "") || url;

interface HookProps {
  readonly repository: Pick<Repository, "hook" | "last_event_at">;
  readonly now: number;
  /** A word before the status. */
  readonly what?: string;
}

/** The state of a webhook. One that was set up by hand needs no more attention once events arrive. */
export const Hook = ({ repository: { hook, last_event_at }, now, what = "" }: HookProps) =>
  hook === "by_hand" && last_event_at ? (
    <span>
      last event <Ago time={last_event_at} now={now} />
    </span>
  ) : (
    <span>
      {what} <Status status={hook} />
    </span>
  );

/** Each provider's settings page for webhooks, and the steps there. */
const ways: Readonly<Record<Provider, { readonly end: string; readonly steps: string }>> = {
  github: {
    end: "settings/hooks",
    steps:
      "Under Settings, Webhooks, choose Add webhook. Paste the payload URL and the secret, choose application/json, and select the events Pushes and Pull requests.",
  },
  gitlab: {
    end: "-/hooks",
    steps:
      "Under Settings, Webhooks, choose Add new webhook. Paste the URL and the secret token, and choose Push, Tag push and Merge request events.",
  },
  gitea: {
    end: "settings/hooks",
    steps:
      "Under Settings, Webhooks, choose Add Webhook, Gitea. Paste the target URL and the secret, choose application/json, and the events Push and Pull Request.",
  },
};

interface Props {
  readonly repository: Pick<Repository, "provider" | "url" | "hook_url" | "hook_reason">;
  /** Undefined if the page does not know it. */
  readonly secret?: string | undefined;
  /** Whether the provider has sent an event. */
  readonly arrives?: boolean;
}

/** Says how to add the webhook of a repository at its provider. */
export function ByHand({ repository: { provider, url, hook_url, hook_reason }, secret, arrives = false }: Props) {
  const { end, steps } = ways[provider];
  return (
    <>
      <p>
        {arrives
          ? `If pushes start no builds any more, check the webhook at ${providerNames[provider]}`
          : `One step is left: add the webhook at ${providerNames[provider]}, so that each push starts a build`}
        {hook_reason ? ` (${hook_reason}).` : "."}
      </p>
      <p>
        {`${steps} `}
        <a href={`${url.replace(/\/+$/, "").replace(/\.git$/, "")}/${end}`} rel="external noreferrer">
          Open these settings
        </a>
      </p>
      <Copy label="Webhook URL" value={hook_url} />
      {secret === undefined ? (
        <p>The stored secret is never shown. If it is lost, create a new one.</p>
      ) : (
        <>
          <Copy label="Secret" value={secret} />
          <p class="quiet">The secret is not shown again.</p>
        </>
      )}
    </>
  );
}
