import type { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler } from "./exchange.js";

/** The policies that express-gateway runs for every request, in this order. */
export interface Policies {
  readonly "request-id": Handler;
  readonly pages: Handler;
  readonly authenticate: Handler;
  readonly api: Handler;
}

/** An express application: takes a request, and a function to call if no handler has answered it. */
interface Application {
  (request: IncomingMessage, response: ServerResponse, done: (error: unknown) => void): void;
  readonly _router: { readonly stack: unknown[] };
}

interface PluginContext {
  readonly eventBus: EventEmitter;
  registerPolicy(policy: { name: string; schema: object; policy: () => Handler }): void;
  registerGatewayRoute(declare: (app: Application) => void): void;
}

// express-gateway loads this file by its name and passes it nothing of ours, so it finds the policies here.
let waiting: { policies: Policies; hosted: (app: Application) => void } | undefined;

/** Registers the policies that the next run of express-gateway hosts; resolves with its application. */
export const hostBy = (policies: Policies): Promise<Application> =>
  new Promise((hosted) => {
    waiting = { policies, hosted };
  });

function waitingPolicy(name: keyof Policies): Handler {
  if (!waiting) throw new Error("There are no policies to host: start the gateway through service.ts");
  return waiting.policies[name];
}

const names = ["request-id", "pages", "authenticate", "api"] as const;

export const version = "1.2.0";
export const policies = names;
export const schema = { $id: "http://service-ci/schemas/plugin.json", type: "object" };

export function init(context: PluginContext): void {
  // The config files never change while the process runs, and a watcher of an earlier run would never stop.
  context.eventBus.removeAllListeners("hot-reload");
  for (const name of names) {
    const policySchema = { $id: `http://service-ci/schemas/${name}.json`, type: "object" };
    context.registerPolicy({ name, schema: policySchema, policy: () => waitingPolicy(name) });
  }
  context.registerGatewayRoute((app) => {
    // These handlers prepare requests for express and passport. Our policies use none of that, and take less time.
    app._router.stack.length = 0;
    waiting?.hosted(app);
  });
}
