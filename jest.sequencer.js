// The order of the test files. jest begins with those that took longest the last time; a fresh clone knows no last time.
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { default: Sequencer } = require("@jest/test-sequencer");

// Those that need a minute and more, so that none of them is left for the end, when one worker has nothing to do. They
// are beside each other rather than beside small ones, which they would slow down; what measures seconds comes late.
const first = [
  "services/gateway/test/large-image.test.ts",
  "services/runner/test/masking.test.ts",
  "services/builds/test/model.test.ts",
  "services/gateway/test/access.test.ts",
  "deploy/test/rolling.test.ts",
  "services/gateway/test/large-object.test.ts",
  "services/runner/test/qemu-warm.test.ts",
  "services/gateway/test/machines.test.ts",
  "services/runner/test/qemu.test.ts",
  "services/gateway/test/chaos.test.ts",
  "deploy/test/compose.test.ts",
  "examples/run.test.ts",
].map((file) => join(__dirname, file));

const gone = first.filter((file) => !existsSync(file));
if (gone.length > 0) throw new Error(`jest.sequencer.js names what is not there: ${gone.join(", ")}`);

const place = ({ path }) => (first.includes(path) ? first.indexOf(path) : first.length);

module.exports = class extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
};
