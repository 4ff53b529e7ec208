// The jest environment of `npm run counter-check`: when a test failed because a hook before it did, its failure says so.
const TestEnvironment = require("../../../libs/testkit/jest/environment.cjs");

module.exports = class extends TestEnvironment {
  /** Tests, and blocks of tests, with such a hook. */
  #failed = new Set();

  /** @param {any} event */
  async handleTestEvent(event) {
    if (event.name === "hook_failure" && event.hook.type.startsWith("before"))
      this.#failed.add(event.test ?? event.describeBlock);
    if (event.name !== "test_done") return;
    for (let one = event.test; one; one = one.parent)
      if (this.#failed.has(one)) return void event.test.errors.push(new Error("A hook before the test failed"));
  }
};
