import { hostileValues } from "./_hostile.js";
import { hostileSuite } from "./_hostile-suite.js";

// Each field gets two of the values here, and all of them in hostile.long.test.ts.
const { length } = Object.keys(hostileValues);
hostileSuite((field, value) => value % length === field % length || value === (5 * field + 1) % length);
