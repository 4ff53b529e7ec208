/** The events a webhook can be told of, in the order in which every list of them is answered. */
export const identifiers: readonly string[] = [
  "build.submitted",
  "build.started",
  "build.finished",
  "build.tagged",
  "build.pinned",
  "build.unpinned",
  "invite.sent",
  "invite.accepted",
  "invite.rejected",
  "namespaces",
  "cron",
  "images",
  "objects",
  "variables",
  "ssh_keys",
];

/** What a webhook listens to that asked for these names: none means all. */
export const listened = (names: readonly string[]): string[] =>
  identifiers.filter((known) => names.length === 0 || names.includes(known));

/** Complaints about the names that no event has. */
export const unknownEvents = (names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => !identifiers.includes(name)).map((name) => `Events unknown event ${name}`);
