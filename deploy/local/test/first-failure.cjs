// The jest environment of `npm run mutate`: after the first failure it skips the remaining tests.
const TestEnvironment = require("../../../libs/testkit/jest/environment.cjs");

module.exports = class extends TestEnvironment {
  #failed = false;

  /** @param {any} event */
  async handleTestEvent(event) {
    if (event.name === "test_start" && this.#failed) event.test.mode = "skip";
    if (event.name === "test_done") this.#failed ||= event.test.errors.length > 0;
  }
};
