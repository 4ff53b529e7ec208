import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { quietExpressGateway } from "../config.js";
import { hostBy, type Policies } from "./plugin.js";

interface ExpressGateway {
  load(configFolder: string): { run(): Promise<unknown> };
}

/**
 * Every request gets a second id that nothing reads, and finding one takes longer than finding the route. The module
 * that makes them is express-gateway's own, so it is reached from there.
 */
function withoutSecondIds(): void {
  const uuid62 = createRequire(require.resolve("express-gateway"))("uuid62") as { v4: () => string };
  uuid62.v4 = () => "";
}

/**
 * Lets express-gateway host our policies, and answers what an HTTP server has to call. `otherwise` gets what no
 * policy has answered. This file, plugin.ts and the files beside `src` are all that knows express-gateway.
 */
export async function hostPolicies(
  policies: Policies,
  otherwise: (error: unknown, response: ServerResponse) => void,
): Promise<RequestListener> {
  const hosted = hostBy(policies);
  quietExpressGateway();
  const expressGateway = require("express-gateway") as () => ExpressGateway;
  await expressGateway().load(join(__dirname, "..", "..")).run();
  withoutSecondIds();
  const app = await hosted;
  return (request: IncomingMessage, response) => app(request, response, (error) => otherwise(error, response));
}
