// Renders docs/operating/limits.md from the settings of each service that are limits.

/**
 * @typedef {{ name: string, about: string, fallback?: string, refusal?: string }} Limit
 */

const intro = `Every limit that a setting changes, and what a request, build or download beyond it is answered. \`npm run settings\` makes
this page from each service's \`config.ts\`: do not edit it. Messages are shown with N for the setting's value and M for what is used.

- A limit on a number or on bytes that are stored is 0 for no limit. It measures what is stored now: each deletion frees exactly what it deletes.
- Records in a namespace count for the namespace's owner, also if a collaborator creates them. Repositories count for the member who adds
  them, artifacts for the user who submitted the build.
- Requests at the same moment, also to different replicas, stay within a limit on what is stored. A record that a process announced and
  could not store, because it died, counts for one more minute.
- A lower limit deletes nothing. It refuses what is new until enough is deleted.`;

const row = (/** @type {Limit} */ { name, about, fallback, refusal }) =>
  `| \`${name}\` | \`${fallback}\` | ${about} | \`${refusal?.replaceAll("|", "\\|")}\` |`;

/**
 * Returns the page. A limit that several services read is shown once.
 * @param {{ service: string, settings: Limit[] }[]} services
 */
export function limitsPage(services) {
  const shown = new Set();
  const sections = services.flatMap(({ service, settings }) => {
    const limits = settings.filter(({ name, refusal }) => refusal && !shown.has(name));
    for (const { name } of limits) shown.add(name);
    if (limits.length === 0) return [];
    const heads = "| Setting | Default | Limit | Answer |\n| --- | --- | --- | --- |";
    return [`## ${service}\n\n${[heads, ...limits.map(row)].join("\n")}`];
  });
  return `${["# Limits", intro, ...sections].join("\n\n")}\n`;
}
