import { type components, record } from "@service-ci/client";
import { client } from "../../api.js";
import { useData } from "../../data.js";
import { moment } from "../../format.js";

type Stats = components["schemas"]["DeliveryStats"];

const statuses = ["pending", "delivered", "failed", "cancelled"] as const;

const countText = (stats: Stats, status: (typeof statuses)[number]): string =>
  `${stats[status]}${stats.at_least.includes(status) ? " or more" : ""} ${status}`;

/** Loads how many deliveries of a webhook have which status. */
export const useCounts = (path: { readonly username: string; readonly path: string; readonly id: number }) =>
  useData(
    `counts ${path.id}`,
    () => record(client.api.GET("/n/{username}/{path}/-/webhooks/{id}/stats", { params: { path } })),
    { everyMs: () => 60_000 },
  );

interface Props {
  readonly data: Stats | undefined;
  /** The page of all deliveries. */
  readonly list: string;
}

/** How many deliveries of the log have which status. */
export function DeliveryCounts({ data, list }: Props) {
  if (!data?.since) return null;
  const known = statuses.filter((status) => typeof data[status] === "number");
  return (
    <div class="summary">
      <p class="quiet">
        {known.map((status) => (
          <span key={status}>
            {status === "failed" && data.failed > 0 ? (
              <a href={`${list}?status=failed`}>{countText(data, status)}</a>
            ) : (
              countText(data, status)
            )}
          </span>
        ))}
        <span>{`since ${moment(data.since)}`}</span>
      </p>
    </div>
  );
}
