import type { components } from "@service-ci/client";
import { Asking } from "../../form.js";
import { useUser } from "../../user.js";
import type { Work } from "../../work.js";
import { providerNames } from "./hook-by-hand.js";

type Repository = components["schemas"]["Repository"];

/** Returns what a new secret breaks; undefined if the service also sets it at the provider. */
function warningOf({ user, provider, hook, has_access_token }: Repository, me: string | undefined) {
  const step = `Pushes start no builds until you set the new secret at ${providerNames[provider]}.`;
  if (user.username === me) return hook === "registered" ? undefined : step;
  const token = has_access_token ? ` ${user.username}'s access token is deleted.` : "";
  return `The repository and its next builds become yours.${token} ${step}`;
}

interface Props {
  readonly repository: Repository;
  readonly work: Work;
  readonly renew: () => Promise<void>;
  readonly onDone: () => void;
}

/** Gives a repository a new secret, after a warning if that breaks something or takes the repository over. */
export function NewSecret({ repository, work, renew, onDone }: Props) {
  const warning = warningOf(repository, useUser()?.username);
  if (warning !== undefined)
    return <Asking action="New secret" name="Create a new secret" warning={warning} work={renew} onDone={onDone} />;
  return (
    <button type="button" disabled={work.busy} onClick={() => work.start(renew)}>
      New secret
    </button>
  );
}
