import * as operations from "./operations/index.js";
import type { Table } from "./program.js";
import * as own from "./specs.js";

/** Every command, by its words. */
export const table: Table = { ...own.specs, ...operations.specs };
export const groups = { ...own.groups, ...operations.groups };
export const aliases = own.aliases;
