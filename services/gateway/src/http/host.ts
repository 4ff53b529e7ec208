import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { quietExpressGateway } from "../config.js";
import { hostBy, type Policies } from "./plugin.js";

interface ExpressGateway {
  load(configFolder: string): { run(): Promise<unknown> };
}

/** express-gateway gives each request an id that nothing reads, and generating it takes longer than routing. */
function disableRequestIds(): void {
  const uuid62 = createRequire(require.resolve("express-gateway"))("uuid62") as { v4: () => string };
  uuid62.v4 = () => "";
}

/**
 * Lets express-gateway host our policies and returns the listener for an HTTP server. `otherwise` gets the requests that
 * no policy has answered. Only this file, plugin.ts and the files beside `src` know express-gateway.
 */
export async function hostPolicies(
  policies: Policies,
  otherwise: (error: unknown, response: ServerResponse) => void,
): Promise<RequestListener> {
  const hosted = hostBy(policies);
  quietExpressGateway();
  const expressGateway = require("express-gateway") as () => ExpressGateway;
  await expressGateway()
    .load(join(__dirname, "..", ".."))
    .run();
  disableRequestIds();
  const app = await hosted;
  return (request: IncomingMessage, response) => app(request, response, (error) => otherwise(error, response));
}
