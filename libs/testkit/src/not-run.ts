/// <reference types="jest" />

/**
 * Stands for tests that this machine cannot run, for lack of Docker for example. jest counts one skipped test, and
 * `npm test` names it in its last lines.
 */
export function notRun(what: string, why: string): void {
  test.skip(`${what} (${why})`, () => {});
}
