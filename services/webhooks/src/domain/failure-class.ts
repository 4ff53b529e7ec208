/** What kinds of failures an operator tells apart. */
export const failureClasses = ["timeout", "dns", "connection", "tls", "blocked", "3xx", "4xx", "5xx", "other"] as const;
export type FailureClass = (typeof failureClasses)[number];

/** How the texts of failed exchanges begin. */
const beginnings: readonly [start: RegExp, FailureClass][] = [
  [/^timeout/, "timeout"],
  [/^name /, "dns"],
  [/^(connection|host) /, "connection"],
  [/^TLS /, "tls"],
  [/^address not allowed/, "blocked"],
];

/** The kind of a failed attempt, by the status that came or by the text that says why none came. */
export function failureClass(code: number | undefined, error: string | undefined): FailureClass {
  const family = `${Math.floor((code ?? 0) / 100)}xx`;
  return (
    failureClasses.find((one) => one === family) ??
    beginnings.find(([start]) => start.test(error ?? ""))?.[1] ??
    "other"
  );
}
