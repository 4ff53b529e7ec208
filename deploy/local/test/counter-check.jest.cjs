// The jest configuration of `npm run counter-check`: as usual, but limits can be lifted.
/** @type {any} */
const { projects, ...config } = require("../../../jest.config.js");

const lifted = {
  "process/fixed-limit(\\.js)?$": require.resolve("./lifted-limit.cjs"),
  "process/config(\\.js)?$": require.resolve("./lifted-config.cjs"),
};

module.exports = {
  ...config,
  projects: projects.map((/** @type {any} */ { moduleNameMapper, ...project }) => ({
    ...project,
    // The first match counts.
    moduleNameMapper: { ...lifted, ...moduleNameMapper },
    testEnvironment: require.resolve("./failed-hook.cjs"),
  })),
};
