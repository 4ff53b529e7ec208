const failureClasses = ["timeout", "dns", "connection", "tls", "blocked", "3xx", "4xx", "5xx", "other"] as const;
export type FailureClass = (typeof failureClasses)[number];

const errorClasses: readonly [start: RegExp, FailureClass][] = [
  [/^timeout/, "timeout"],
  [/^name /, "dns"],
  [/^(connection|host) /, "connection"],
  [/^TLS /, "tls"],
  [/^address not allowed/, "blocked"],
];

export function failureClass(code: number | undefined, error: string | undefined): FailureClass {
  const family = `${Math.floor((code ?? 0) / 100)}xx`;
  return (
    failureClasses.find((one) => one === family) ??
    errorClasses.find(([start]) => start.test(error ?? ""))?.[1] ??
    "other"
  );
}
