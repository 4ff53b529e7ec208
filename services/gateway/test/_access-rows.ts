import { accounts } from "./_access-accounts.js";
import { builds } from "./_access-builds.js";
import { crons } from "./_access-crons.js";
import { mistakes } from "./_access-mistakes.js";
import { namespaces } from "./_access-namespaces.js";
import { records } from "./_access-records.js";
import { repositoryHooks } from "./_access-repositories.js";
import type { Expected } from "./_access-table.js";
import { webhooks } from "./_access-webhooks.js";

/** Contracts 4 and 5.1, line by line. */
export const table: readonly Expected[] = [
  ...namespaces,
  ...builds,
  ...webhooks,
  ...repositoryHooks,
  ...records,
  ...crons,
  ...accounts,
  ...mistakes,
];

/** A route with its parameters as `:`. */
export const line = ({ method, path }: Pick<Expected, "method" | "path">) =>
  `${method} ${path.replace(/:\w*\+?/g, ":")}`;
