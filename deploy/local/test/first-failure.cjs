// A jest environment for the mutation test: after the first failure it skips the remaining tests.
const { TestEnvironment } = require("jest-environment-node");

module.exports = class extends TestEnvironment {
  #failed = false;

  /** @param {any} event */
  async handleTestEvent(event) {
    if (event.name === "test_start" && this.#failed) event.test.mode = "skip";
    if (event.name === "test_done") this.#failed ||= event.test.errors.length > 0;
  }
};
