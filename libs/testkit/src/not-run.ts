/// <reference types="jest" />

/**
 * Stands where tests would stand that this machine has no means for, such as a Docker Engine: jest counts one test as
 * skipped, and `npm test` names it in its last lines.
 */
export function notRun(what: string, why: string): void {
  test.skip(`${what} (${why})`, () => {});
}
