// `npm run mutate`: breaks one access rule at a time, and checks that the access table's test fails.
/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ["services/namespaces/src/domain/access.ts"],
  testRunner: "jest",
  plugins: ["@stryker-mutator/jest-runner"],
  jest: {
    configFile: "deploy/local/test/mutation.jest.cjs",
    enableFindRelatedTests: false,
  },
  // The rules are read by every line of the table: there is nothing to choose by coverage.
  coverageAnalysis: "off",
  concurrency: 2,
  // On a slow machine a long run is no sign of a mutant that was noticed.
  timeoutMS: 600_000,
  dryRunTimeoutMinutes: 30,
  // TypeScript 7 has no API for Stryker to rewrite tsconfig.json with, and the tests read none.
  tsconfigFile: "none",
  ignorePatterns: ["dist", ".cache", ".data", "*.tsbuildinfo"],
  tempDirName: ".cache/stryker",
  reporters: ["progress-append-only", "clear-text", "json"],
  clearTextReporter: { logTests: false, reportTests: false, reportScoreTable: false },
  jsonReporter: { fileName: ".cache/mutation.json" },
  allowEmpty: false,
};
