// The order of the test files. jest begins with those that took longest the last time; a fresh clone knows no last time.
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { default: Sequencer } = require("@jest/test-sequencer");

// The longest files come first, so that none of them is left for the end, when one worker has nothing to do.
const first = [
  "deploy/test/compose.long.test.ts",
  "deploy/test/mongo-members.long.test.ts",
  "services/runner/test/qemu.long.test.ts",
  "services/gateway/test/large-object.long.test.ts",
  "services/runner/test/qemu-warm.long.test.ts",
  "services/builds/test/model.long.test.ts",
  "services/runner/test/docker-contract.long.test.ts",
  "services/gateway/test/chaos.long.test.ts",
  "services/gateway/test/hostile-processes.long.test.ts",
  "services/gateway/test/large-image.long.test.ts",
  "services/runner/test/masking.long.test.ts",
  "services/gateway/test/machines.long.test.ts",
  "web/test/owned.long.test.ts",
  "services/gateway/test/access.long.test.ts",
  "web/test/build.long.test.ts",
  "services/gateway/test/lists.long.test.ts",
  "deploy/test/start-servers.long.test.ts",
  "examples/run.long.test.ts",
  "services/gateway/test/budgets.long.test.ts",
  "web/test/hooks.long.test.ts",
  "services/gateway/test/hostile.long.test.ts",
  "services/gateway/test/upgrade.long.test.ts",
  "services/gateway/test/mongo-away.long.test.ts",
  "deploy/test/chart-upgrade.long.test.ts",
  "services/gateway/test/mongo-killed.long.test.ts",
  "libs/manifest/src/yaml.test.ts",
  "services/runner/src/caches/pack.test.ts",
  "services/gateway/test/access.test.ts",
  "libs/kit/test/blobs.test.ts",
  "web/test/pages.test.ts",
  "cli/test/builds.test.ts",
  "services/gateway/test/namespaces.test.ts",
].map((file) => join(__dirname, file));

const missing = first.filter((file) => !existsSync(file));
if (missing.length > 0) throw new Error(`jest.sequencer.js names files that do not exist: ${missing.join(", ")}`);

const place = ({ path }) => (first.includes(path) ? first.indexOf(path) : first.length);

module.exports = class extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }

  // The parts of `--shard` take about equally long, and hold the same files on every machine.
  shard(tests, { shardIndex, shardCount }) {
    const inOrder = [...tests].sort((a, b) => place(a) - place(b) || (a.path < b.path ? -1 : 1));
    return inOrder.filter((_, index) => index % shardCount === shardIndex - 1);
  }
};
