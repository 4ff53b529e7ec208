// The jest environment of `npm run counter-check`: when a test failed because a hook before it did, its failure says so.
const TestEnvironment = require("../../../libs/testkit/jest/environment.cjs");

module.exports = class extends TestEnvironment {
  #failed = false;

  /** @param {any} event */
  async handleTestEvent(event) {
    if (event.name === "hook_failure") this.#failed ||= event.hook.type.startsWith("before");
    if (event.name === "test_done" && this.#failed) event.test.errors.push(new Error("A hook before the test failed"));
  }
};
