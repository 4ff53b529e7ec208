import type { components } from "@service-ci/client";
import type { Handler } from "../command.js";
import { UsageError } from "../exit.js";
import { note, print, printJson } from "../io.js";
import { requestPath } from "../operation-path.js";
import { operations } from "../operations/index.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

type Shown = components["schemas"]["WebhookRateLimit"];

export const run: Handler<Specs["webhooks rate-limit"]> = async (io, { id, namespace, set, remove }) => {
  if (remove && set !== undefined) throw new UsageError("Only one of --set and --remove can be given");
  const per_second = remove ? 0 : set;
  const session = await connect(io);
  const { path: webhook } = await requestPath(session, operations["webhooks show"]!, { id, namespace });
  const change: RequestInit = {
    method: "PUT",
    body: JSON.stringify({ per_second }),
    headers: { "Content-Type": "application/json" },
  };
  const response = await session.client.request(`${webhook}/rate-limit`, per_second === undefined ? undefined : change);
  const shown = (await response.json()) as Shown;
  if (io.options.json) return void (await printJson(io, shown));
  if (io.options.quiet || shown.per_second > 0) return void (await print(io, String(shown.per_second)));
  note(io, "The webhook has no rate limit");
  return undefined;
};
