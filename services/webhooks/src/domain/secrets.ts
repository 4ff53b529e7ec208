import { fixedLimit } from "@ci/kit/process/fixed-limit";

/** The secrets of a webhook: the current one, and earlier ones that receivers may still verify with. */
export interface Secrets {
  readonly current?: string;
  /** Newest first. */
  readonly earlier: readonly EarlierSecret[];
  /** What signed until each of the last changes, oldest first, for events that are recorded after a change. */
  readonly replaced?: readonly ReplacedSecrets[];
}

export interface ReplacedSecrets {
  readonly until: Date;
  readonly texts: readonly string[];
}

export interface EarlierSecret {
  readonly text: string;
  readonly until: Date;
}

const maxEarlier = fixedLimit({
  max: 3,
  about: "replaced secrets of a webhook that still sign",
  effect: "the oldest no longer signs",
});

const maxReplaced = fixedLimit({
  max: 3,
  about: "earlier sets of secrets of a webhook, kept for events that are recorded late",
  effect: "the oldest is dropped; events from its time are signed with the next one",
});

const unexpired = (earlier: readonly EarlierSecret[], now: Date): EarlierSecret[] =>
  earlier.filter(({ until }) => until > now);

/** Returns the texts that sign an event of this time, newest first; none if there was no secret. They may be encrypted. */
export function signingSecrets({ current, earlier, replaced = [] }: Secrets, at: Date): readonly string[] {
  const before = replaced.find(({ until }) => at < until);
  if (before) return before.texts;
  return current === undefined ? [] : [current, ...unexpired(earlier, at).map(({ text }) => text)];
}

const withReplaced = (secrets: Secrets, now: Date): readonly ReplacedSecrets[] =>
  [...(secrets.replaced ?? []), { until: now, texts: signingSecrets(secrets, now) }].slice(-maxReplaced);

export function replaceSecret(secrets: Secrets, text: string, now: Date, overlapMs: number): Secrets {
  const { current } = secrets;
  if (current === text) return secrets;
  const before = current === undefined ? [] : [{ text: current, until: new Date(now.getTime() + overlapMs) }];
  const earlier = [...before, ...unexpired(secrets.earlier, now)].filter((one) => one.text !== text);
  return { current: text, earlier: earlier.slice(0, maxEarlier), replaced: withReplaced(secrets, now) };
}

/** Removes the secret, so that later events are not signed. The texts may be encrypted. */
export const removeSecrets = (secrets: Secrets, now: Date): Secrets =>
  secrets.current === undefined ? secrets : { earlier: [], replaced: withReplaced(secrets, now) };
