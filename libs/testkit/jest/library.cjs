// Replaces a library's file by one line that makes Node load it, outside of jest's registry.
const { createHash } = require("node:crypto");

/** Name of the global that has Node's own `require`. */
const nativeRequire = Symbol.for("ci.require");

/** Jest's global set-up runs outside of the environment, and gets libraries as they are. */
const isInside = () => nativeRequire in globalThis;

module.exports = {
  nativeRequire,
  getCacheKey: (/** @type {string} */ _source, /** @type {string} */ file) =>
    createHash("sha256").update(`${file} ${isInside()}`).digest("hex"),
  process: (/** @type {string} */ source, /** @type {string} */ file) => ({
    code: isInside() ? `module.exports = globalThis[Symbol.for("ci.require")](${JSON.stringify(file)});` : source,
  }),
};
