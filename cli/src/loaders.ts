import type { Handler } from "./command.js";
import type { Specs } from "./specs.js";

type Loaders = { readonly [N in keyof Specs]: () => Promise<{ readonly run: Handler<Specs[N]> }> };

/** The modules of the commands. Only the current command's module is loaded. */
export const loaders: Loaders = {
  login: () => import("./commands/login.js"),
  logout: () => import("./commands/context-remove.js"),
  "context list": () => import("./commands/context-list.js"),
  "context use": () => import("./commands/context-use.js"),
  "context remove": () => import("./commands/context-remove.js"),
  whoami: () => import("./commands/whoami.js"),
  submit: () => import("./commands/submit.js"),
  run: () => import("./commands/run.js"),
  lint: () => import("./commands/lint.js"),
  logs: () => import("./commands/logs.js"),
  list: () => import("./commands/list.js"),
  show: () => import("./commands/show.js"),
  kill: () => import("./commands/kill.js"),
  restart: () => import("./commands/restart.js"),
  open: () => import("./commands/open.js"),
  "artifacts list": () => import("./commands/artifacts-list.js"),
  "artifacts download": () => import("./commands/artifacts-download.js"),
  "objects download": () => import("./commands/objects-download.js"),
  "images download": () => import("./commands/images-download.js"),
  queue: () => import("./commands/queue.js"),
  events: () => import("./commands/events.js"),
  "webhooks forward": () => import("./commands/webhooks-forward.js"),
  "webhooks headers": () => import("./commands/webhooks-headers.js"),
  "webhooks rate-limit": () => import("./commands/webhooks-rate-limit.js"),
  completion: () => import("./commands/completion.js"),
  __complete: () => import("./commands/complete.js"),
};
