import { type components, record } from "@service-ci/client";
import { client } from "../../api.js";
import { useData } from "../../data.js";
import { moment } from "../../format.js";

type Stats = components["schemas"]["DeliveryStats"];

const statuses = ["pending", "delivered", "failed", "cancelled"] as const;

const countText = (stats: Stats, status: (typeof statuses)[number]): string =>
  `${stats[status]}${stats.at_least.includes(status) ? " or more" : ""} ${status}`;

interface Props {
  readonly path: { readonly username: string; readonly path: string; readonly id: number };
  /** The page of all deliveries. */
  readonly list: string;
}

/** How many deliveries of the log have which status. */
export function DeliveryCounts({ path, list }: Props) {
  const load = () => record(client.api.GET("/n/{username}/{path}/-/webhooks/{id}/stats", { params: { path } }));
  const { data } = useData(`counts ${path.id}`, load, { everyMs: () => 15_000 });
  if (!data?.since) return null;
  return (
    <div class="summary">
      <p class="quiet">
        {statuses.map((status) => (
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
