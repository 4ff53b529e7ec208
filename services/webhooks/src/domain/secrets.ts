import { fixedLimit } from "@ci/kit/process/fixed-limit";
/** The secrets of a webhook: the current one, and earlier ones that receivers may still verify with. */
export interface Secrets {
  readonly current?: string;
  /** Newest first. */
  readonly earlier: readonly EarlierSecret[];
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

const unexpired = (earlier: readonly EarlierSecret[], now: Date): EarlierSecret[] =>
  earlier.filter(({ until }) => until > now);

/** Returns the texts that sign now, the current one first; none without a current one. They may be encrypted. */
export const signingSecrets = ({ current, earlier }: Secrets, now: Date): string[] =>
  current === undefined ? [] : [current, ...unexpired(earlier, now).map(({ text }) => text)];

export function replaceSecret(secrets: Secrets, text: string, now: Date, overlapMs: number): Secrets {
  const { current } = secrets;
  if (current === text) return secrets;
  const before = current === undefined ? [] : [{ text: current, until: new Date(now.getTime() + overlapMs) }];
  const earlier = [...before, ...unexpired(secrets.earlier, now)].filter((one) => one.text !== text);
  return { current: text, earlier: earlier.slice(0, maxEarlier) };
}
