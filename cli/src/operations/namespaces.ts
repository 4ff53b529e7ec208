import { bool, flag, list, one, secret, text } from "../command.js";
import { itsNamespace, type Operations, resource } from "./operation.js";

const namespace = one("Namespace, path or path@owner");
const visibility = text("Who can see it", { choices: ["private", "internal", "public"] });
const description = text("Description");
const columns = ["path", "user", "visibility", "description", "created_at"];
const search = text("Only those whose path contains this text");

const spaces = {
  "ns list": {
    about: "List namespaces, by path",
    method: "GET",
    path: "/namespaces",
    columns,
    names: "path",
    options: { search },
  },
  "ns children": {
    ...{ about: "List the children of a namespace", method: "GET", path: "{namespace}/-/namespaces", columns },
    ...{ args: { namespace }, names: "path", options: { search } },
  },
  "ns show": { about: "Show a namespace", method: "GET", path: "{namespace}", args: { namespace }, names: "path" },
  "ns create": {
    ...{ about: "Create a namespace", method: "POST", path: "/namespaces", names: "path" },
    args: { name: one("Name") },
    options: { parent: text("Path of the parent"), description, visibility },
  },
  "ns update": {
    ...{ about: "Change a namespace", method: "PATCH", path: "{namespace}", args: { namespace }, names: "path" },
    options: { description, visibility },
  },
  "ns delete": {
    ...{ about: "Delete a namespace and everything below it", method: "DELETE", path: "{namespace}" },
    ...{ args: { namespace }, asks: true },
  },
  "ns members": {
    ...{ about: "List the collaborators of a namespace", method: "GET", path: "{namespace}/-/collaborators" },
    ...{ args: { namespace }, columns: ["username", "email", "created_at"], names: "username" },
  },
  "ns remove": {
    ...{ about: "Remove a collaborator", method: "DELETE", path: "{namespace}/-/collaborators/{username}" },
    args: { namespace, username: one("Username or e-mail address") },
  },
  "ns leave": {
    ...{ about: "End your own collaboration on a namespace", method: "DELETE", path: "{namespace}/-/membership" },
    args: { namespace },
  },
  "ns invite": {
    ...{ about: "Invite a user to a namespace", method: "POST", path: "{namespace}/-/invites", names: "id" },
    args: { namespace, handle: one("Username or e-mail address") },
  },
} satisfies Operations;

const inviteColumns = ["id", "namespace", "inviter", "invitee", "created_at"];
const id = one("Id");
const invites = {
  "invites list": {
    ...{ about: "List open invites, to you or to a namespace", method: "GET", path: "/invites", names: "id" },
    ...{ within: "{namespace}/-/invites", columns: inviteColumns },
    options: { namespace: text("Namespace, path or path@owner", { short: "n" }) },
  },
  "invites accept": {
    about: "Accept an invite",
    method: "PATCH",
    path: "/invites/{id}",
    args: { id },
    names: "namespace",
  },
  "invites delete": { about: "Reject or withdraw an invite", method: "DELETE", path: "/invites/{id}", args: { id } },
} satisfies Operations;

const inNamespace = { options: { namespace: itsNamespace } };

const hooks = resource({
  ...{ one: "a webhook", many: "webhooks of a namespace", path: "{namespace}/-/webhooks", field: "payload_url" },
  ...{ ...inNamespace, columns: ["id", "payload_url", "active", "ssl", "disabled_reason", "created_at"] },
});
const hookFields = {
  secret: secret("Secret that deliveries are signed with, - for standard input"),
  ssl: bool("Whether the address must use https"),
  active: bool("Whether events are sent"),
  events: list("Events to send, separated by commas; default: all"),
};
const delivery = one("Id of the delivery");
const deliveryArgs = { id: one("Id or name"), delivery };

const webhooks = {
  "webhooks list": hooks.list(),
  "webhooks show": hooks.show(),
  "webhooks create": hooks.create({ payload_url: one("Address that events are sent to") }, hookFields),
  "webhooks update": hooks.update({
    ...{ payload_url: text("New address"), ...hookFields },
    remove_secret: flag("Stop signing deliveries"),
  }),
  "webhooks delete": hooks.remove(),
  "webhooks deliveries": {
    ...{ ...hooks.single, path: "{namespace}/-/webhooks/{id}/deliveries", method: "GET" },
    ...{ about: "List the deliveries of a webhook, newest first", names: "id" },
    options: { ...inNamespace.options, status: text("Only deliveries with this status", { choices: ["failed"] }) },
    columns: ["id", "event", "status", "code", "attempt_count", "error", "created_at"],
  },
  "webhooks delivery": {
    ...{ ...hooks.single, path: "{namespace}/-/webhooks/{id}/deliveries/{delivery}", method: "GET" },
    ...{ about: "Show a delivery with its request, last response and attempts", args: deliveryArgs },
  },
  "webhooks redeliver": {
    ...{ ...hooks.single, path: "{namespace}/-/webhooks/{id}/deliveries/{delivery}/redeliver", method: "POST" },
    ...{ about: "Send a delivery again", args: deliveryArgs },
  },
  "webhooks retry": {
    ...{ ...hooks.single, path: "{namespace}/-/webhooks/{id}/redeliver", method: "POST", names: "count" },
    about: "Send every failed or cancelled delivery again",
    options: { ...inNamespace.options, since: text("Only deliveries since this time", { required: true }) },
  },
} satisfies Operations;

const repositories = resource({
  ...{ one: "a repository", many: "repositories of a namespace", path: "{namespace}/-/repositories", field: "url" },
  ...{ ...inNamespace, columns: ["id", "provider", "url", "forks", "hook", "created_at"] },
});
const repositoryFields = {
  access_token: secret("Access token of the provider, - for standard input"),
  forks: text("Builds of pull requests from forks", { choices: ["approve", "run", "ignore"] }),
  cancel_superseded: bool("Whether a newer push kills the builds of older pushes"),
};

const repos = {
  "repos list": repositories.list(),
  "repos show": repositories.show(),
  "repos create": repositories.create(
    {
      provider: one("Provider that hosts it", { choices: ["github", "gitlab", "gitea"] }),
      url: one("Address to clone from"),
    },
    {
      secret: secret("Secret that the provider signs its events with, - for standard input", { required: true }),
      ...repositoryFields,
      build: bool("Whether to build the default branch now"),
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
  "repos deliveries": {
    ...{ ...repositories.single, path: "{namespace}/-/repositories/{id}/deliveries", method: "GET" },
    ...{ about: "List the events of a repository, and the builds they triggered", names: "id" },
    columns: ["id", "event", "status", "ref", "builds", "reasons", "created_at"],
  },
  "repos delivery": {
    ...{ ...repositories.single, path: "{namespace}/-/repositories/{id}/deliveries/{delivery}", method: "GET" },
    ...{ about: "Show the builds that an event triggered, or why it triggered none", args: deliveryArgs },
  },
  "repos redeliver": {
    ...{ ...repositories.single, path: "{namespace}/-/repositories/{id}/deliveries/{delivery}/redeliver" },
    ...{ about: "Process an event of a repository again", method: "POST", args: deliveryArgs },
  },
} satisfies Operations;

export const namespaces = { ...spaces, ...invites, ...webhooks, ...repos } satisfies Operations;
