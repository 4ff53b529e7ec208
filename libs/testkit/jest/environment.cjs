// The environment of all tests is Node's own realm, so that a worker loads each library once and not once per file.
const vm = require("node:vm");
const { TestEnvironment } = require("jest-environment-node");
const { nativeRequire } = require("./library.cjs");

/** Stands for Node's own realm, which is the only one that no context object stands for. */
const ownRealm = vm.createContext({});

const { compileFunction } = vm;
/** What a worker has compiled, by file. A function without state serves all test files. */
const compiled = new Map();
/** @type {typeof compileFunction} */
vm.compileFunction = (code, parameters, options) => {
  if (options?.parsingContext !== ownRealm) return compileFunction(code, parameters, options);
  const earlier = compiled.get(options.filename);
  if (earlier?.code === code) return earlier.wrapper;
  const wrapper = compileFunction(code, parameters, { ...options, parsingContext: undefined });
  compiled.set(options.filename, { code, wrapper });
  return wrapper;
};

/** @type {any} */ (globalThis)[nativeRequire] = require;

module.exports = class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} given */
  constructor(...given) {
    super(...given);
    this.global = /** @type {any} */ (globalThis);
    this.globalsBefore = new Set(Reflect.ownKeys(globalThis));
  }

  /** @override */
  getVmContext() {
    return ownRealm;
  }

  /** Removes the globals of a file, or the worker would keep everything that the file has loaded. @override */
  async teardown() {
    for (const key of Reflect.ownKeys(globalThis))
      if (!this.globalsBefore.has(key)) Reflect.deleteProperty(globalThis, key);
    await super.teardown();
  }
};
