/** The secrets of a webhook: the one that signs, and earlier ones that receivers may still verify with. */
export interface Secrets {
  readonly current?: string;
  /** Newest first. */
  readonly earlier: readonly Earlier[];
}

export interface Earlier {
  readonly text: string;
  readonly until: Date;
}

const mostEarlier = 3;

const still = (earlier: readonly Earlier[], now: Date): Earlier[] => earlier.filter(({ until }) => until > now);

/** The texts that sign at this time, the present one first; none without a present one. Sealed ones do as well. */
export const signing = ({ current, earlier }: Secrets, now: Date): string[] =>
  current === undefined ? [] : [current, ...still(earlier, now).map(({ text }) => text)];

/** The secrets after a change. The one that is replaced goes on to be valid for `overlapMs`. */
export function replaced(secrets: Secrets, text: string, now: Date, overlapMs: number): Secrets {
  const { current } = secrets;
  if (current === text) return secrets;
  const before = current === undefined ? [] : [{ text: current, until: new Date(now.getTime() + overlapMs) }];
  const earlier = [...before, ...still(secrets.earlier, now)].filter((one) => one.text !== text);
  return { current: text, earlier: earlier.slice(0, mostEarlier) };
}
