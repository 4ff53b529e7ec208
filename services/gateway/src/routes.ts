import * as accounts from "./routes/accounts.js";
import * as artifacts from "./routes/artifacts.js";
import * as builds from "./routes/builds.js";
import * as cron from "./routes/cron.js";
import * as events from "./routes/events.js";
import * as images from "./routes/images.js";
import * as inputs from "./routes/inputs.js";
import * as jobs from "./routes/jobs.js";
import * as namespaces from "./routes/namespaces.js";
import * as objects from "./routes/objects.js";
import * as repositories from "./routes/repositories.js";
import * as resources from "./routes/resources.js";
import * as service from "./routes/service.js";
import * as tags from "./routes/tags.js";
import * as webhooks from "./routes/webhooks.js";
import { type Row, row } from "./http/row.js";

const b = "/b/:user/:number";
const n = "/n/:username/:path";
const hook = `${n}/-/webhooks/:id`;

/** Everything the world can ask. /openapi.json says the same; an answer with content may also be 206. */
export const routes: readonly Row[] = [
  row("GET", "/", "none", 200, service.root),
  row("GET", "/version", "none", 200, service.version),
  row("GET", "/openapi.json", "none", 200, service.openapi),
  row("GET", "/health", "none", 200, service.health),

  row("GET", "/user", "any", 200, accounts.me),
  row("GET", "/users", "user:read", 200, accounts.listUsers),
  row("POST", "/users", "user:write", 201, accounts.createUser),
  row("DELETE", "/users/:username", "user:delete", 204, accounts.deleteUser),
  row("POST", "/users/:username/tokens", "user:write", 201, accounts.createTokenFor),
  row("GET", "/tokens", "any", 200, accounts.listTokens),
  row("POST", "/tokens", "any", 201, accounts.createToken),
  row("DELETE", "/tokens/:id", "any", 204, accounts.deleteToken),

  row("GET", "/builds", "build:read", 200, builds.listBuilds),
  row("POST", "/builds", "build:write", 201, builds.submitBuild),
  row("GET", b, "build:read", 200, builds.getBuild),
  row("DELETE", b, "build:delete", 204, builds.killBuild),
  row("PATCH", `${b}/pin`, "build:write", 200, builds.pinBuild),
  row("PATCH", `${b}/unpin`, "build:write", 200, builds.unpinBuild),
  row("POST", `${b}/restart`, "build:write", 201, builds.restartBuild),
  row("GET", `${b}/output`, "build:read", 200, builds.getOutput),
  row("GET", `${b}/objects`, "build:read", 200, inputs.listBuildObjects),
  row("GET", `${b}/variables`, "build:read", 200, inputs.listBuildVariables),
  row("GET", `${b}/keys`, "build:read", 200, inputs.listBuildKeys),
  row("GET", `${b}/jobs`, "build:read", 200, jobs.listJobs),
  row("GET", `${b}/jobs/:name`, "build:read", 200, jobs.getJob),
  row("GET", `${b}/jobs/:name/output`, "build:read", 200, jobs.getJobOutput),
  row("GET", `${b}/artifacts`, "build:read", 200, artifacts.listArtifacts),
  row("GET", `${b}/artifacts/:name+`, "build:read", 200, artifacts.getArtifact),
  row("GET", `${b}/tags`, "build:read", 200, tags.listTags),
  row("POST", `${b}/tags`, "build:write", 201, tags.tagBuild),
  row("GET", `${b}/tags/:name+`, "build:read", 200, tags.getTag),
  row("DELETE", `${b}/tags/:name+`, "build:delete", 204, tags.untagBuild),

  row("GET", "/namespaces", "namespace:read", 200, namespaces.listNamespaces),
  row("POST", "/namespaces", "namespace:write", 201, namespaces.createNamespace),
  row("GET", n, "namespace:read", 200, namespaces.getNamespace),
  row("PATCH", n, "namespace:write", 200, namespaces.updateNamespace),
  row("DELETE", n, "namespace:delete", 204, namespaces.deleteNamespace),
  row("GET", `${n}/-/badge.svg`, "none", 200, service.showBadge),
  row("GET", `${n}/-/builds`, "namespace:read", 200, builds.listBuildsOf),
  row("GET", `${n}/-/namespaces`, "namespace:read", 200, namespaces.listChildren),
  row("GET", `${n}/-/images`, "namespace:read", 200, images.listImagesOf),
  row("GET", `${n}/-/objects`, "namespace:read", 200, objects.listObjectsOf),
  row("GET", `${n}/-/variables`, "namespace:read", 200, resources.listVariablesOf),
  row("GET", `${n}/-/keys`, "namespace:read", 200, resources.listKeysOf),
  row("GET", `${n}/-/invites`, ["namespace:read", "invite:read"], 200, namespaces.listInvitesOf),
  row("POST", `${n}/-/invites`, "invite:write", 201, namespaces.sendInvite),
  row("GET", `${n}/-/collaborators`, "namespace:read", 200, namespaces.listCollaborators),
  row("DELETE", `${n}/-/collaborators/:user`, "namespace:delete", 204, namespaces.removeCollaborator),
  row("GET", `${n}/-/webhooks`, ["namespace:read", "webhook:read"], 200, webhooks.listWebhooks),
  row("POST", `${n}/-/webhooks`, ["namespace:write", "webhook:write"], 201, webhooks.createWebhook),
  row("GET", hook, ["namespace:read", "webhook:read"], 200, webhooks.getWebhook),
  row("PATCH", hook, ["namespace:write", "webhook:write"], 200, webhooks.updateWebhook),
  row("DELETE", hook, ["namespace:delete", "webhook:delete"], 204, webhooks.deleteWebhook),
  row("GET", `${hook}/deliveries`, ["namespace:read", "webhook:read"], 200, webhooks.listDeliveries),
  row("GET", `${hook}/deliveries/:delivery`, ["namespace:read", "webhook:read"], 200, webhooks.getDelivery),
  row("POST", `${hook}/deliveries/:delivery/redeliver`, ["namespace:write", "webhook:write"], 202, webhooks.redeliver),
  row("POST", `${hook}/redeliver`, ["namespace:write", "webhook:write"], 202, webhooks.redeliverFailed),
  row("GET", `${n}/-/repositories`, "namespace:read", 200, repositories.listRepositories),
  row("POST", `${n}/-/repositories`, "namespace:write", 201, repositories.createRepository),
  row("DELETE", `${n}/-/repositories/:id`, "namespace:delete", 204, repositories.deleteRepository),
  row("GET", `${n}/-/events`, "namespace:read", 200, events.watchEvents),
  row("POST", "/hooks/:provider/:id", "none", 202, repositories.receiveHook),
  row("GET", "/invites", "invite:read", 200, namespaces.listInvites),
  row("PATCH", "/invites/:id", "invite:write", 200, namespaces.acceptInvite),
  row("DELETE", "/invites/:id", "invite:delete", 204, namespaces.deleteInvite),

  row("GET", "/images", "image:read", 200, images.listImages),
  row("POST", "/images", "image:write", 201, images.createImage),
  row("GET", "/images/:id", "image:read", 200, images.getImage),
  row("DELETE", "/images/:id", "image:delete", 204, images.deleteImage),

  row("GET", "/objects", "object:read", 200, objects.listObjects),
  row("POST", "/objects", "object:write", 201, objects.uploadObject),
  row("GET", "/objects/:id", "object:read", 200, objects.getObject),
  row("GET", "/objects/:id/builds", "object:read", 200, objects.listBuildsWith),
  row("DELETE", "/objects/:id", "object:delete", 204, objects.deleteObject),

  row("GET", "/variables", "variable:read", 200, resources.listVariables),
  row("POST", "/variables", "variable:write", 201, resources.createVariable),
  row("GET", "/variables/:id", "variable:read", 200, resources.getVariable),
  row("DELETE", "/variables/:id", "variable:delete", 204, resources.deleteVariable),

  row("GET", "/keys", "key:read", 200, resources.listKeys),
  row("POST", "/keys", "key:write", 201, resources.createKey),
  row("GET", "/keys/:id", "key:read", 200, resources.getKey),
  row("PATCH", "/keys/:id", "key:write", 200, resources.updateKey),
  row("DELETE", "/keys/:id", "key:delete", 204, resources.deleteKey),

  row("GET", "/cron", "cron:read", 200, cron.listCrons),
  row("POST", "/cron", "cron:write", 201, cron.createCron),
  row("GET", "/cron/:id", "cron:read", 200, cron.getCron),
  row("PATCH", "/cron/:id", "cron:write", 200, cron.updateCron),
  row("DELETE", "/cron/:id", "cron:delete", 204, cron.deleteCron),
  row("GET", "/cron/:id/builds", "cron:read", 200, cron.listBuildsBy),
];
