import type { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler } from "./exchange.js";

/** What express-gateway runs for every request, in this order. */
export interface Policies {
  readonly "request-id": Handler;
  readonly authenticate: Handler;
  readonly api: Handler;
}

/** An express application: takes a request, and what to call when nobody has answered it. */
interface Application {
  (request: IncomingMessage, response: ServerResponse, done: (error: unknown) => void): void;
  /** What it does with every request, in order. */
  readonly _router: { readonly stack: unknown[] };
}

interface PluginContext {
  readonly eventBus: EventEmitter;
  registerPolicy(policy: { name: string; schema: object; policy: () => Handler }): void;
  registerGatewayRoute(declare: (app: Application) => void): void;
}

// express-gateway loads this file by its name and gives it nothing of ours, so what it shall host waits here.
let waiting: { policies: Policies; hosted: (app: Application) => void } | undefined;

/** The policies the next run of express-gateway shall host; resolves with the application that does. */
export const hostBy = (policies: Policies): Promise<Application> =>
  new Promise((hosted) => {
    waiting = { policies, hosted };
  });

function waitingPolicy(name: keyof Policies): Handler {
  if (!waiting) throw new Error("There are no policies to host: start the gateway by service.ts");
  return waiting.policies[name];
}

const names = ["request-id", "authenticate", "api"] as const;

export const version = "1.2.0";
export const policies = names;
export const schema = { $id: "http://service-ci/schemas/plugin.json", type: "object" };

/** Called by express-gateway. */
export function init(context: PluginContext): void {
  // Its files never change while it runs; an earlier run in this process would listen for that for ever.
  context.eventBus.removeAllListeners("hot-reload");
  for (const name of names) {
    const policySchema = { $id: `http://service-ci/schemas/${name}.json`, type: "object" };
    context.registerPolicy({ name, schema: policySchema, policy: () => waitingPolicy(name) });
  }
  context.registerGatewayRoute((app) => {
    // What stands here before the policies dresses requests up for express and passport. Our policies use none of
    // it, and it takes longer than they do.
    app._router.stack.length = 0;
    waiting?.hosted(app);
  });
}
