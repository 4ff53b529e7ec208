// Preloaded by services of `npm run bench -- identity`: callers state their names without proof.
const identity = require("../libs/kit/dist/rpc/identity.js");

const proven = identity.openIdentity;
const key = "authorization";

identity.openIdentity = (/** @type {any} */ config, /** @type {any} */ log) => ({
  ...proven(config, log),
  prove: (/** @type {unknown} */ _method, /** @type {any} */ metadata) => void metadata.set(key, config.service),
  callerOf: (/** @type {unknown} */ _method, /** @type {any} */ metadata) => metadata.get(key),
});
