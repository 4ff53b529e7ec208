// The jest configuration of `npm run mutate`: the access table alone.
/** @type {any} */
const { projects, ...config } = require("../../../jest.config.js");
const {
  displayName: _,
  testPathIgnorePatterns: __,
  ...system
} = projects.find((/** @type {{ displayName: string }} */ { displayName }) => displayName === "system");

module.exports = {
  ...config,
  ...system,
  testMatch: ["**/services/gateway/test/access.test.ts"],
  testEnvironment: require.resolve("./first-failure.cjs"),
};
