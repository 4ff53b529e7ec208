import type { components } from "@service-ci/client";
import { bool, flag, list, one, optional, secret, text, texts } from "../command.js";
import { del, get, itsNamespace, type Operations, patch, post, resource } from "./operation.js";

const namespace = one("Namespace, path or path@owner");
const visibility = text("Who can see it", { choices: ["private", "internal", "public"] });
const description = text("Description");
const columns = ["path", "user", "visibility", "description", "created_at"];
const search = text("Only those whose path contains this text");

const spaces = {
  "ns list": get("/namespaces", "List namespaces, by path", { options: { search }, columns, names: "path" }),
  "ns children": get("{namespace}/-/namespaces", "List the children of a namespace", {
    args: { namespace },
    options: { search },
    columns,
    names: "path",
  }),
  "ns show": get("{namespace}", "Show a namespace", { args: { namespace }, names: "path" }),
  "ns create": post("/namespaces", "Create a namespace", {
    args: { name: one("Name") },
    options: { parent: text("Path of the parent"), description, visibility },
    names: "path",
  }),
  "ns update": patch("{namespace}", "Change a namespace", {
    args: { namespace },
    options: { description, visibility },
    names: "path",
  }),
  "ns delete": del("{namespace}", "Delete a namespace and everything below it", { args: { namespace }, asks: true }),
  "ns members": get("{namespace}/-/collaborators", "List the collaborators of a namespace", {
    args: { namespace },
    columns: ["username", "email", "created_at"],
    names: "username",
  }),
  "ns remove": del("{namespace}/-/collaborators/{username}", "Remove a collaborator", {
    args: { namespace, username: one("Username or e-mail address") },
  }),
  "ns leave": del("{namespace}/-/membership", "End your own collaboration on a namespace", { args: { namespace } }),
  "ns invite": post("{namespace}/-/invites", "Invite a user to a namespace", {
    args: { namespace, handle: one("Username or e-mail address") },
    names: "id",
  }),
} satisfies Operations;

const id = one("Id");
const invites = {
  "invites list": get("/invites", "List open invites, to you or to a namespace", {
    within: "{namespace}/-/invites",
    options: { namespace: text("Namespace, path or path@owner", { short: "n" }) },
    columns: ["id", "namespace", "inviter", "invitee", "created_at"],
    names: "id",
  }),
  "invites accept": patch("/invites/{id}", "Accept an invite", { args: { id }, names: "namespace" }),
  "invites delete": del("/invites/{id}", "Reject or withdraw an invite", { args: { id } }),
} satisfies Operations;

const inNamespace = { options: { namespace: itsNamespace } };

const hooks = resource({
  ...inNamespace,
  one: "a webhook",
  many: "webhooks of a namespace",
  path: "{namespace}/-/webhooks",
  field: "payload_url",
  columns: ["id", "payload_url", "active", "ssl", "disabled_reason", "created_at", "filter"],
});
const withFilter = {
  bodyOf: async (fields: Readonly<Record<string, unknown>>) =>
    (await import("../webhook-filter.js")).withFilter(fields),
};
const hookFields = {
  secret: secret("Secret that deliveries are signed with, - for standard input"),
  ssl: bool("Whether the address must use https"),
  active: bool("Whether events are sent"),
  events: list("Events to send, separated by commas; default: all"),
  filter: texts(
    "Only events with this value, PATH=VALUE such as status=failed; may be repeated: the same path for alternatives, " +
      "other paths for further conditions; texts such as 5 or true in quotes: PATH='\"5\"'",
  ),
};
const deliveryArgs = { id: one("Id or address"), delivery: one("Id of the delivery") };
const statuses = ["pending", "delivered", "failed", "cancelled"] as const;
function countsOf({ at_least, ...counts }: components["schemas"]["DeliveryStats"]) {
  const countOf = (name: (typeof at_least)[number]) => `${counts[name]}${at_least.includes(name) ? " or more" : ""}`;
  const known = statuses.filter((status) => typeof counts[status] === "number");
  const tests = counts.tests > 0 ? ` (${countOf("tests")} of them tests)` : "";
  return { deliveries: `${known.map((status) => `${countOf(status)} ${status}`).join(", ")}${tests}` };
}
const hook = "{namespace}/-/webhooks/{id}";

const webhooks = {
  "webhooks list": hooks.list(),
  "webhooks show": hooks.show({ beside: { path: "/stats", fields: countsOf } }),
  "webhooks create": hooks.create({ payload_url: one("Address that events are sent to") }, hookFields, withFilter),
  "webhooks update": {
    ...hooks.update({
      payload_url: text("New address; another scheme, host or port removes the headers"),
      ...hookFields,
      remove_secret: flag("Stop signing deliveries"),
      remove_filter: flag("Send all events of the list"),
    }),
    ...withFilter,
  },
  "webhooks delete": hooks.remove(),
  "webhooks deliveries": get(`${hook}/deliveries`, "List the deliveries of a webhook, newest first", {
    ...hooks.single,
    options: { ...inNamespace.options, status: text("Only deliveries with this status", { choices: ["failed"] }) },
    columns: ["id", "event", "status", "code", "attempt_count", "error", "created_at"],
  }),
  "webhooks stats": get(`${hook}/stats`, "Count the deliveries of a webhook by status", {
    ...hooks.single,
    names: "pending",
  }),
  "webhooks delivery": get(
    `${hook}/deliveries/{delivery}`,
    "Show a delivery with its request, last response and attempts",
    { ...hooks.single, args: deliveryArgs },
  ),
  "webhooks test": post(`${hook}/test`, "Send an example of an event, marked as a test, and wait for the outcome", {
    ...hooks.single,
    options: { ...inNamespace.options, event: text("Name of the event; default: the webhook's first") },
    deliveryAt: (path, id) => path.replace(/\/test$/, `/deliveries/${id}`),
    hides: "request",
  }),
  "webhooks redeliver": post(
    `${hook}/deliveries/{delivery}/redeliver`,
    "Send a delivery again and wait for the outcome",
    {
      ...hooks.single,
      args: deliveryArgs,
      deliveryAt: (path) => path.replace(/\/redeliver$/, ""),
      hides: "request",
    },
  ),
  "webhooks retry": post(`${hook}/redeliver`, "Send every failed or cancelled delivery again, except tests", {
    ...hooks.single,
    options: { ...inNamespace.options, since: text("Only deliveries since this time", { required: true }) },
    names: "count",
  }),
  "webhooks replay": post(`${hook}/replay`, "Send the events that a webhook has missed", {
    ...hooks.single,
    options: { ...inNamespace.options, since: text("Only events since this time", { required: true }) },
    names: "count",
  }),
} satisfies Operations;

const repositories = resource({
  ...inNamespace,
  one: "a repository",
  many: "repositories of a namespace",
  path: "{namespace}/-/repositories",
  field: "url",
  columns: ["id", "provider", "url", "forks", "hook", "created_at"],
});
const repositoryFields = {
  access_token: secret("Access token of the provider, - for standard input"),
  forks: text("Builds of pull requests from forks", { choices: ["approve", "run", "ignore"] }),
  cancel_superseded: bool("Whether a newer push kills the builds of older pushes"),
};
const repository = "{namespace}/-/repositories/{id}";

const repos = {
  "repos list": repositories.list(),
  "repos show": repositories.show(),
  "repos create": repositories.create(
    {
      provider: one("Provider that hosts it", { choices: ["github", "gitlab", "gitea"] }),
      url: one("Address to clone from"),
    },
    {
      secret: secret(
        "Secret that the provider signs its events with, - for standard input; default: a new one, shown once",
      ),
      ...repositoryFields,
      build: bool("Whether to build the default branch now"),
    },
    {
      fresh: "secret",
      nextStep: ({ hook, hook_url }) =>
        hook === "by_hand"
          ? `At the provider, add a JSON webhook for pushes and requests, with the secret and this address: ${hook_url}`
          : undefined,
    },
  ),
  "repos update": repositories.update({
    secret: secret(
      "New secret, - for standard input; another member's repository becomes yours and loses its access token; " +
        "without a token, pushes start no builds until you set the secret at the provider",
    ),
    ...repositoryFields,
    remove_access_token: flag("Delete the stored access token"),
  }),
  "repos delete": repositories.remove(),
  "repos run": post(`${repository}/run`, "Build the newest commit of a branch or tag now, as after a push", {
    ...repositories.single,
    args: { id: one("Id or address"), ref: optional("Branch or tag; default: the default branch") },
    failsIf: ({ status }) => status === "skipped" || status === "failed",
  }),
  "repos deliveries": get(
    `${repository}/deliveries`,
    "List the events of a repository, and the builds they triggered",
    { ...repositories.single, columns: ["id", "event", "status", "ref", "builds", "reasons", "created_at"] },
  ),
  "repos delivery": get(
    `${repository}/deliveries/{delivery}`,
    "Show the builds that an event triggered, or why it triggered none",
    { ...repositories.single, args: deliveryArgs },
  ),
  "repos redeliver": post(`${repository}/deliveries/{delivery}/redeliver`, "Process an event of a repository again", {
    ...repositories.single,
    args: deliveryArgs,
  }),
} satisfies Operations;

export const namespaces = { ...spaces, ...invites, ...webhooks, ...repos } satisfies Operations;
