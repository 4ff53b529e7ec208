import { type Groups, type Row, rowsOf } from "./http/row.js";
import * as accounts from "./routes/accounts.js";
import * as artifacts from "./routes/artifacts.js";
import * as audit from "./routes/audit.js";
import * as builds from "./routes/builds.js";
import * as caches from "./routes/caches.js";
import * as cron from "./routes/cron.js";
import * as events from "./routes/events.js";
import * as identities from "./routes/identities.js";
import * as images from "./routes/images.js";
import * as inputs from "./routes/inputs.js";
import * as jobs from "./routes/jobs.js";
import * as keys from "./routes/keys.js";
import * as manifests from "./routes/manifests.js";
import * as members from "./routes/members.js";
import * as namespaces from "./routes/namespaces.js";
import * as objects from "./routes/objects.js";
import * as openid from "./routes/openid.js";
import * as operators from "./routes/operators.js";
import * as repositories from "./routes/repositories.js";
import * as service from "./routes/service.js";
import * as sessions from "./routes/sessions.js";
import * as tags from "./routes/tags.js";
import * as tests from "./routes/tests.js";
import * as variables from "./routes/variables.js";
import * as webhooks from "./routes/webhooks.js";

/** The actions by groups of the description. Their exported names are its operation ids. */
export const groups: Groups = {
  builds: { about: "Builds and their output", actions: builds },
  manifests: { about: "What a manifest may say", actions: manifests },
  jobs: { about: "Jobs of a build", actions: jobs },
  artifacts: { about: "Files that a build has made", actions: artifacts },
  tests: { about: "What the tests of a build say", actions: tests },
  caches: { about: "Files that are kept between builds", actions: caches },
  inputs: { about: "Objects, variables and keys that a build uses", actions: inputs },
  tags: { about: "Tags of a build", actions: tags },
  namespaces: { about: "Namespaces, which hold builds and what builds use", actions: namespaces },
  members: { about: "Collaborators of a namespace's tree and invites to it", actions: members },
  webhooks: { about: "Webhooks of a namespace and their deliveries", actions: webhooks },
  repositories: { about: "Git repositories whose pushes submit builds", actions: repositories },
  events: { about: "Events as they happen, as streams", actions: events },
  images: { about: "Disk images for virtual machines", actions: images },
  objects: { about: "Files that builds can use", actions: objects },
  variables: { about: "Environment variables for builds", actions: variables },
  keys: { about: "SSH keys for builds", actions: keys },
  cron: { about: "Builds on a schedule", actions: cron },
  accounts: { about: "Users and their tokens", actions: accounts },
  sessions: { about: "Sessions of the web page", actions: sessions },
  identities: { about: "Identities of OpenID Connect", actions: identities },
  audit: { about: "The audit log: who tried to change what", actions: audit },
  operators: { about: "What administrators watch: runners and the queue", actions: operators },
  service: { about: "The service itself", actions: service },
};
const row = rowsOf(groups);

const b = "/b/:user/:number";
const n = "/n/:username/:path";
const webhook = `${n}/-/webhooks/:id`;
const repository = `${n}/-/repositories/:id`;

/** The whole API. /openapi.json describes it; a response with content may also be 206. */
export const routes: readonly Row[] = [
  row("GET", "/", "none", 200, service.getRoot),
  row("GET", "/version", "none", 200, service.getVersion),
  row("GET", "/openapi.json", "none", 200, service.getDescription),
  row("GET", "/manifest.schema.json", "none", 200, manifests.getManifestSchema),
  row("GET", "/health", "none", 200, service.getHealth),

  row("GET", "/user", "any", 200, accounts.getCurrentUser),
  row("GET", "/users", "user:read", 200, accounts.listUsers),
  row("POST", "/users", "user:write", 201, accounts.createUser),
  row("DELETE", "/users/:username", "user:delete", 204, accounts.deleteUser),
  row("GET", "/users/-/tokens", "user:read", 200, accounts.listAllTokens),
  row("POST", "/users/:username/tokens", "user:write", 201, accounts.createUserToken),
  row("GET", "/tokens", "any", 200, accounts.listTokens),
  row("POST", "/tokens", "any", 201, accounts.createToken),
  row("DELETE", "/tokens/:id", "any", 204, accounts.deleteToken),
  row("POST", "/session", "none", 201, sessions.openSession),
  row("DELETE", "/session", "any", 204, sessions.closeSession),
  row("GET", "/user/sessions", "any", 200, sessions.listSessions),
  row("DELETE", "/user/sessions/:id", "any", 204, sessions.deleteSession),
  row("POST", "/user/sign-in-links", "any", 201, sessions.createSignInLink),
  row("GET", "/user/identities", "any", 200, identities.listIdentities),
  row("DELETE", "/user/identities/:id", "any", 204, identities.deleteIdentity),
  row("GET", "/audit", "user:read", 200, audit.listAuditEntries),
  row("GET", "/runners", "user:read", 200, operators.listRunners),
  row("GET", "/queue", "user:read", 200, operators.getQueue),

  row("GET", "/builds", "build:read", 200, builds.listBuilds),
  row("POST", "/builds", "build:write", 201, builds.submitBuild),
  row("GET", "/caches", "build:read", 200, caches.listCaches),
  row("DELETE", "/caches/:id", "build:delete", 204, caches.deleteCache),
  row("POST", "/manifests/check", "build:read", 200, manifests.checkManifest),
  row("GET", b, "build:read", 200, builds.getBuild),
  row("DELETE", b, "build:delete", 204, builds.killBuild),
  row("PATCH", `${b}/pin`, "build:write", 200, builds.pinBuild),
  row("PATCH", `${b}/unpin`, "build:write", 200, builds.unpinBuild),
  row("PATCH", `${b}/approve`, "build:write", 200, builds.approveBuild),
  row("POST", `${b}/restart`, "build:write", 201, builds.restartBuild),
  row("GET", `${b}/output`, "build:read", 200, builds.getBuildOutput),
  row("GET", `${b}/objects`, "build:read", 200, inputs.listBuildObjects),
  row("GET", `${b}/variables`, "build:read", 200, inputs.listBuildVariables),
  row("GET", `${b}/keys`, "build:read", 200, inputs.listBuildKeys),
  row("GET", `${b}/jobs`, "build:read", 200, jobs.listJobs),
  row("GET", `${b}/jobs/:name`, "build:read", 200, jobs.getJob),
  row("GET", `${b}/jobs/:name/output`, "build:read", 200, jobs.getJobOutput),
  row("GET", `${b}/artifacts`, "build:read", 200, artifacts.listArtifacts),
  row("GET", `${b}/artifacts/:name+`, "build:read", 200, artifacts.getArtifact),
  row("GET", `${b}/tests`, "build:read", 200, tests.listTests),
  row("GET", `${b}/tags`, "build:read", 200, tags.listTags),
  row("POST", `${b}/tags`, "build:write", 201, tags.tagBuild),
  row("GET", `${b}/tags/:name+`, "build:read", 200, tags.getTag),
  row("DELETE", `${b}/tags/:name+`, "build:delete", 204, tags.untagBuild),

  row("GET", "/namespaces", "namespace:read", 200, namespaces.listNamespaces),
  row("POST", "/namespaces", "namespace:write", 201, namespaces.createNamespace),
  row("GET", n, "namespace:read", 200, namespaces.getNamespace),
  row("PATCH", n, "namespace:write", 200, namespaces.updateNamespace),
  row("DELETE", n, "namespace:delete", 204, namespaces.deleteNamespace),
  row("GET", `${n}/-/badge.svg`, "none", 200, service.getBadge),
  row("GET", `${n}/-/builds`, "namespace:read", 200, builds.listNamespaceBuilds),
  row("GET", `${n}/-/namespaces`, "namespace:read", 200, namespaces.listChildNamespaces),
  row("GET", `${n}/-/images`, "namespace:read", 200, images.listNamespaceImages),
  row("GET", `${n}/-/objects`, "namespace:read", 200, objects.listNamespaceObjects),
  row("GET", `${n}/-/variables`, "namespace:read", 200, variables.listNamespaceVariables),
  row("GET", `${n}/-/keys`, "namespace:read", 200, keys.listNamespaceKeys),
  row("GET", `${n}/-/invites`, ["namespace:read", "invite:read"], 200, members.listNamespaceInvites),
  row("POST", `${n}/-/invites`, "invite:write", 201, members.sendInvite),
  row("GET", `${n}/-/collaborators`, "namespace:read", 200, members.listCollaborators),
  row("DELETE", `${n}/-/collaborators/:user`, "namespace:delete", 204, members.removeCollaborator),
  row("DELETE", `${n}/-/membership`, "invite:delete", 204, members.leaveNamespace),
  row("GET", `${n}/-/webhooks`, ["namespace:read", "webhook:read"], 200, webhooks.listWebhooks),
  row("POST", `${n}/-/webhooks`, ["namespace:write", "webhook:write"], 201, webhooks.createWebhook),
  row("GET", webhook, ["namespace:read", "webhook:read"], 200, webhooks.getWebhook),
  row("PATCH", webhook, ["namespace:write", "webhook:write"], 200, webhooks.updateWebhook),
  row("DELETE", webhook, ["namespace:delete", "webhook:delete"], 204, webhooks.deleteWebhook),
  row("GET", `${webhook}/headers`, ["namespace:read", "webhook:read"], 200, webhooks.getWebhookHeaders),
  row("PUT", `${webhook}/headers`, ["namespace:write", "webhook:write"], 200, webhooks.setWebhookHeaders),
  row("GET", `${webhook}/rate-limit`, ["namespace:read", "webhook:read"], 200, webhooks.getWebhookRateLimit),
  row("PUT", `${webhook}/rate-limit`, ["namespace:write", "webhook:write"], 200, webhooks.setWebhookRateLimit),
  row("GET", `${webhook}/stats`, ["namespace:read", "webhook:read"], 200, webhooks.countDeliveries),
  row("GET", `${webhook}/deliveries`, ["namespace:read", "webhook:read"], 200, webhooks.listDeliveries),
  row("GET", `${webhook}/deliveries/:delivery`, ["namespace:read", "webhook:read"], 200, webhooks.getDelivery),
  row(
    "POST",
    `${webhook}/deliveries/:delivery/redeliver`,
    ["namespace:write", "webhook:write"],
    202,
    webhooks.redeliverDelivery,
  ),
  row("POST", `${webhook}/test`, ["namespace:write", "webhook:write"], 202, webhooks.testWebhook),
  row("POST", `${webhook}/redeliver`, ["namespace:write", "webhook:write"], 202, webhooks.redeliverFailedDeliveries),
  row("POST", `${webhook}/replay`, ["namespace:write", "webhook:write"], 202, webhooks.replayMissedEvents),
  row("GET", `${n}/-/repositories`, "namespace:read", 200, repositories.listRepositories),
  row("POST", `${n}/-/repositories`, "namespace:write", 201, repositories.createRepository),
  row("GET", repository, "namespace:read", 200, repositories.getRepository),
  row("PATCH", repository, "namespace:write", 200, repositories.updateRepository),
  row("DELETE", repository, "namespace:delete", 204, repositories.deleteRepository),
  row("POST", `${repository}/run`, "namespace:write", 202, repositories.runRepository),
  row("GET", `${repository}/deliveries`, "namespace:read", 200, repositories.listHookDeliveries),
  row("GET", `${repository}/deliveries/:delivery`, "namespace:read", 200, repositories.getHookDelivery),
  row("POST", `${repository}/deliveries/:delivery/redeliver`, "namespace:write", 202, repositories.redeliverHook),
  row("GET", `${n}/-/events`, "namespace:read", 200, events.watchEvents),
  row("GET", "/events", "namespace:read build:read", 200, events.watchOwnEvents),
  row("POST", "/hooks/:provider/:id", "none", 202, repositories.receiveHook),
  row("GET", "/invites", "invite:read", 200, members.listInvites),
  row("PATCH", "/invites/:id", "invite:write", 200, members.acceptInvite),
  row("DELETE", "/invites/:id", "invite:delete", 204, members.deleteInvite),

  row("GET", "/images", "image:read", 200, images.listImages),
  row("POST", "/images", "image:write", 201, images.createImage),
  row("GET", "/images/:id", "image:read", 200, images.getImage),
  row("DELETE", "/images/:id", "image:delete", 204, images.deleteImage),

  row("GET", "/objects", "object:read", 200, objects.listObjects),
  row("POST", "/objects", "object:write", 201, objects.uploadObject),
  row("GET", "/objects/:id", "object:read", 200, objects.getObject),
  row("GET", "/objects/:id/builds", "object:read", 200, objects.listObjectBuilds),
  row("DELETE", "/objects/:id", "object:delete", 204, objects.deleteObject),

  row("GET", "/variables", "variable:read", 200, variables.listVariables),
  row("POST", "/variables", "variable:write", 201, variables.createVariable),
  row("GET", "/variables/:id", "variable:read", 200, variables.getVariable),
  row("PATCH", "/variables/:id", "variable:write", 200, variables.updateVariable),
  row("DELETE", "/variables/:id", "variable:delete", 204, variables.deleteVariable),

  row("GET", "/keys", "key:read", 200, keys.listKeys),
  row("POST", "/keys", "key:write", 201, keys.createKey),
  row("GET", "/keys/:id", "key:read", 200, keys.getKey),
  row("PATCH", "/keys/:id", "key:write", 200, keys.updateKey),
  row("DELETE", "/keys/:id", "key:delete", 204, keys.deleteKey),

  row("GET", "/cron", "cron:read", 200, cron.listCrons),
  row("POST", "/cron", "cron:write", 201, cron.createCron),
  row("GET", "/cron/:id", "cron:read", 200, cron.getCron),
  row("PATCH", "/cron/:id", "cron:write", 200, cron.updateCron),
  row("DELETE", "/cron/:id", "cron:delete", 204, cron.deleteCron),
  row("POST", "/cron/:id/run", "cron:write", 201, cron.runCron),
  row("GET", "/cron/:id/builds", "cron:read", 200, cron.listCronBuilds),
];

export const callbackPath = "/-/sign-in/oidc/callback";
const signInRow = rowsOf({ openid: { about: "Signing in with OpenID Connect", actions: openid } });

/** Addresses that only browsers open. They are no part of the API. */
export const signInRoutes: readonly Row[] = [
  signInRow("GET", "/-/sign-in/oidc", "none", 303, openid.beginSignIn),
  signInRow("GET", callbackPath, "none", 303, openid.finishSignIn),
];
