/// <reference types="jest" />

/** Reports tests that this machine cannot run as one skipped test, which `npm test` names in its last lines. */
export function notRun(what: string, why: string): void {
  test.skip(`${what} (${why})`, () => {});
}
