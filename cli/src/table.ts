import * as operations from "./operations/index.js";
import type { Table } from "./program.js";
import * as own from "./specs.js";

export const table: Table = { ...own.specs, ...operations.specs };
export const groups = { ...own.groups, ...operations.groups };
export const aliases = own.aliases;

/** The parts of the help, in order. */
export const headings = {
  "This machine": ["login", "logout", "context", "whoami", "completion"],
  Builds: [
    ...[
      "submit",
      "run",
      "lint",
      "list",
      "show",
      "logs",
      "kill",
      "restart",
      "open",
      "artifacts",
      "jobs",
      "tests",
      "inputs",
    ],
    ...["tag", "untag", "pin", "unpin", "approve"],
  ],
  "What builds use": ["ns", "invites", "vars", "keys", "objects", "images", "caches"],
  "What starts builds, and what receives events": ["cron", "repos", "webhooks", "events"],
  Administration: ["tokens", "sessions", "identities", "users", "runners", "queue", "audit"],
};

export const names = { table, groups, aliases, headings };
