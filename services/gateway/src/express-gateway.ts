import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { join } from "node:path";
import type { RequestHandler } from "express";
import { quietExpressGateway } from "./config.js";
import { hostBy } from "./plugin.js";

/** What express-gateway runs for every request, in this order. */
export interface Policies {
  readonly "request-id": RequestHandler;
  readonly authenticate: RequestHandler;
  readonly api: RequestHandler;
}

interface ExpressGateway {
  load(configFolder: string): { run(): Promise<unknown> };
}

/**
 * Lets express-gateway host our policies and answers what an HTTP server has to call. `otherwise` gets what no
 * policy has answered. This file, plugin.ts and the files beside `src` are all that knows express-gateway.
 */
export async function hostPolicies(
  policies: Policies,
  otherwise: (error: unknown, request: IncomingMessage, response: ServerResponse) => void,
): Promise<RequestListener> {
  const hosted = hostBy(policies);
  quietExpressGateway();
  const expressGateway = require("express-gateway") as () => ExpressGateway;
  await expressGateway().load(join(__dirname, "..")).run();
  const app = await hosted;
  return (request, response) => app(request, response, (error: unknown) => otherwise(error, request, response));
}
