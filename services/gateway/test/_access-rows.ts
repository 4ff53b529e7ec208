import { accounts } from "./_access-accounts.js";
import { builds } from "./_access-builds.js";
import { caches } from "./_access-caches.js";
import { crons } from "./_access-crons.js";
import { mistakes } from "./_access-mistakes.js";
import { namespaces } from "./_access-namespaces.js";
import { records } from "./_access-records.js";
import { repositoryHooks } from "./_access-repositories.js";
import type { TableRow } from "./_access-table.js";
import { webhooks } from "./_access-webhooks.js";

/** Sections 4 and 5.1 of the contract, row by row. */
export const table: readonly TableRow[] = [
  ...namespaces,
  ...builds,
  ...webhooks,
  ...repositoryHooks,
  ...records,
  ...caches,
  ...crons,
  ...accounts,
  ...mistakes,
];

/** Returns a route with its parameters as `:`. */
export const routeName = ({ method, path }: Pick<TableRow, "method" | "path">) =>
  `${method} ${path.replace(/:\w*\+?/g, ":")}`;
