// One config for every package. swc compiles; @ci/* is read from source, so tests need no build of ours.
const { existsSync } = require("node:fs");
const jestRoot = __dirname;

const swc = [
  "@swc/jest",
  {
    jsc: { parser: { syntax: "typescript", explicitResourceManagement: true }, target: "es2022" },
    module: { type: "commonjs" },
    sourceMaps: "inline",
  },
];

// The driver imports "os" dynamically, which jest cannot do and which leaves it unable to shake hands;
// compiled to CommonJS it is a plain require.
const mongoRuntime = "mongodb/lib/runtime_adapters\\.js";

/** @type {import('jest').Config} */
module.exports = {
  roots: ["libs", "services", "examples", "deploy"].map((dir) => `${jestRoot}/${dir}`).filter(existsSync),
  testEnvironment: "node",
  testMatch: ["**/*.test.ts"],
  modulePathIgnorePatterns: ["/dist/"],
  transform: {
    "^.+\\.ts$": swc,
    [`${mongoRuntime}$`]: swc,
  },
  transformIgnorePatterns: [`/node_modules/(?!.*${mongoRuntime})`],
  moduleNameMapper: {
    "^@ci/proto/(.*)$": `${jestRoot}/libs/proto/src/gen/ci/$1`,
    "^@ci/(kit|rest|testkit)/(.*)$": `${jestRoot}/libs/$1/src/$2`,
    "^@ci/(gateway|builds|images|namespaces|webhooks|runner)/(.*)$": `${jestRoot}/services/$1/src/$2`,
    // TypeScript's Node16 resolution wants ".js"; jest reads the ".ts" beside it.
    "^(\\.{1,2}/.*)\\.js$": "$1",
  },
  globalSetup: `${jestRoot}/libs/testkit/src/containers.ts`,
  globalTeardown: `${jestRoot}/libs/testkit/src/containers-down.ts`,
  testSequencer: `${jestRoot}/jest.sequencer.js`,
  // Longer than `eventually` waits, which says more about what did not come than jest does.
  testTimeout: 180_000,
  maxWorkers: 2,
  // What a file leaves in memory slows those behind it: a worker that has got this large is replaced by a new one.
  workerIdleMemoryLimit: "1GB",
};
