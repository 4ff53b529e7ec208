// One config for every package, divided into projects by what a test needs. swc compiles, and @ci/* is read from source,
// so most tests need no build.
const { availableParallelism } = require("node:os");
const jestRoot = __dirname;

const swc = [
  "@swc/jest",
  {
    jsc: { parser: { syntax: "typescript", explicitResourceManagement: true }, target: "es2022" },
    module: { type: "commonjs" },
    sourceMaps: "inline",
  },
];

/** What all projects share. */
const base = {
  rootDir: jestRoot,
  testEnvironment: `${jestRoot}/libs/testkit/jest/environment.cjs`,
  setupFilesAfterEnv: [`${jestRoot}/libs/testkit/src/list-lengths.ts`],
  modulePathIgnorePatterns: ["/dist/"],
  transform: {
    "^.+\\.ts$": swc,
    // Node itself loads libraries. express-gateway stays with jest: it loads our policies, which are source.
    "/node_modules/.+\\.c?js$": `${jestRoot}/libs/testkit/jest/library.cjs`,
  },
  transformIgnorePatterns: ["/node_modules/\\.pnpm/(@?jest|express-gateway)"],
  moduleNameMapper: {
    "^@ci/proto/encoded-builds$": `${jestRoot}/libs/proto/src/encoded-builds`,
    "^@ci/proto/(.*)$": `${jestRoot}/libs/proto/src/gen/ci/$1`,
    "^@ci/(access|git|kit|manifest|qcow2|rest|testkit)/(.*)$": `${jestRoot}/libs/$1/src/$2`,
    "^@ci/(gateway|builds|images|namespaces|webhooks|runner)/(.*)$": `${jestRoot}/services/$1/src/$2`,
    "^@ci/local-run/(.*)$": `${jestRoot}/local-run/src/$1`,
    "^@service-ci/client$": `${jestRoot}/client/src/index.ts`,
    "^@ci/certificates/(.*)$": `${jestRoot}/deploy/certificates/src/$1`,
    // TypeScript's Node16 resolution wants ".js"; jest reads the ".ts" beside it.
    "^(\\.{1,2}/.*)\\.js$": "$1",
  },
};

/** MongoDB and NATS, started once per run however many projects need them. */
const servers = {
  globalSetup: `${jestRoot}/libs/testkit/src/containers.ts`,
  globalTeardown: `${jestRoot}/libs/testkit/src/containers-down.ts`,
};

const long = "/[^/]+\\.(long|alone)\\.test\\.ts$";
const system = ["cli", "client", "web", "services/gateway", "services/runner", "deploy", "examples"];
const service = ["libs", ...["builds", "images", "namespaces", "webhooks"].map((name) => `services/${name}`)];
const rootsOf = (/** @type {string[]} */ dirs) => dirs.map((dir) => `${jestRoot}/${dir}`);

/** @type {import('jest').Config} */
module.exports = {
  projects: [
    {
      ...base,
      displayName: "unit",
      roots: rootsOf(["cli", "client", "libs", "local-run", "services", "web"]),
      testMatch: ["**/src/**/*.test.ts"],
    },
    {
      ...base,
      ...servers,
      displayName: "service",
      roots: rootsOf(service),
      testMatch: ["**/test/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", long],
    },
    {
      ...base,
      ...servers,
      displayName: "system",
      roots: rootsOf(system),
      testMatch: ["**/test/**/*.test.ts", "**/examples/**/*.test.ts"],
      testPathIgnorePatterns: ["/node_modules/", long],
    },
    {
      ...base,
      ...servers,
      displayName: "long",
      roots: rootsOf([...service, ...system]),
      testMatch: ["**/*.long.test.ts"],
    },
    // Tests of what clients notice. Nothing else may run beside them.
    {
      ...base,
      ...servers,
      displayName: "alone",
      roots: rootsOf(system),
      testMatch: ["**/*.alone.test.ts"],
    },
  ],
  // `eventually` gives up first, because it can say what did not happen.
  testTimeout: 600_000,
  testSequencer: `${jestRoot}/jest.sequencer.js`,
  // One more than cores: most tests wait some of the time.
  maxWorkers: availableParallelism() + 1,
  // A test file can leave memory behind, which slows the files after it: replace a worker that has grown this large.
  workerIdleMemoryLimit: "1GB",
};
