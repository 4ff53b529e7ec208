import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHandler } from "express";

/** An express application: takes a request, and what to call when nobody has answered it. */
type Application = (request: IncomingMessage, response: ServerResponse, done: (error: unknown) => void) => void;

interface PluginContext {
  registerPolicy(policy: { name: string; schema: object; policy: () => RequestHandler }): void;
  registerGatewayRoute(declare: (app: Application) => void): void;
}

// express-gateway loads this file by its name and gives it no argument of ours, so what it shall host waits here.
let waiting: { policies: object; hosted: (app: Application) => void } | undefined;

const waitingPolicies = (): Record<string, RequestHandler> => {
  if (!waiting) throw new Error("There are no policies to host: start the gateway by service.ts");
  return waiting.policies as Record<string, RequestHandler>;
};

/** The policies the next run of express-gateway shall host; resolves with the application that does. */
export const hostBy = (policies: object): Promise<Application> =>
  new Promise((hosted) => {
    waiting = { policies, hosted };
  });

export const version = "1.2.0";
export const policies = ["request-id", "authenticate", "api"];
export const schema = { $id: "http://service-ci/schemas/plugin.json", type: "object" };

/** Called by express-gateway. */
export function init(context: PluginContext): void {
  for (const name of policies) {
    const policySchema = { $id: `http://service-ci/schemas/${name}.json`, type: "object" };
    context.registerPolicy({ name, schema: policySchema, policy: () => waitingPolicies()[name]! });
  }
  context.registerGatewayRoute((app) => waiting?.hosted(app));
}
