// How jest runs the access table for `npm run mutate`.
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
