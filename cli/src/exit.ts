/** The exit codes of `ci`. */
export const exit = { done: 0, failed: 1, usage: 2, killed: 3, timedOut: 4, interrupted: 130 } as const;

export const exitHelp = `Exit codes:
  0    done; the build passed
  1    the build or the request failed
  2    wrong usage, not signed in, or \`ci run\` lacks something on this machine
  3    the build was killed
  4    the build timed out
  130  interrupted`;

/** Ends the command with a message and an exit code. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly code: number = exit.failed,
  ) {
    super(message);
  }
}

/** The command line is wrong, or no token is known. */
export class UsageError extends Failure {
  constructor(message: string) {
    super(message, exit.usage);
  }
}

const codes: Readonly<Record<string, number>> = {
  failed: exit.failed,
  timed_out: exit.timedOut,
  killed: exit.killed,
};
const worstFirst = [exit.failed, exit.timedOut, exit.killed, exit.done];

/** Returns the exit code of the build that ended worst. */
export function exitOf(statuses: readonly string[]): number {
  const found = new Set(statuses.map((status) => codes[status] ?? exit.done));
  return worstFirst.find((code) => found.has(code)) ?? exit.done;
}
