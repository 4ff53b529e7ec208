// In place of kit/process/config in `npm run counter-check`: LIFTED_SETTINGS win over the settings of a test.
const config = require("../../../libs/kit/src/process/config.ts");

const lifted = JSON.parse(process.env.LIFTED_SETTINGS ?? "{}");

module.exports = {
  ...config,
  readSettings: (/** @type {NodeJS.ProcessEnv} */ env, /** @type {any} */ read) =>
    config.readSettings({ ...env, ...lifted }, read),
};
