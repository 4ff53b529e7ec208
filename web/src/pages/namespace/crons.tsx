import type { components } from "@service-ci/client";
import { base, client, pageOf, pagesIn } from "../../api.js";
import { ahead } from "../../format.js";

type Cron = components["schemas"]["Cron"];

/** The API lists a user's cron jobs of all namespaces together. */
export async function loadCrons(namespaceId: number) {
  const response = await client.request("/cron");
  const first = (await response.json()) as readonly Cron[];
  const here = first.filter(({ namespace_id }) => namespace_id === namespaceId);
  return { here, areAll: pagesIn(response).next === undefined };
}

interface Props {
  readonly crons: Awaited<ReturnType<typeof loadCrons>>;
  /** How a manifest names the namespace. */
  readonly named: string;
  readonly now: number;
}

/** The cron jobs that submit builds to a namespace, among the first of the user's. */
export function Crons({ crons: { here, areAll }, named, now }: Props) {
  return (
    <section aria-label="Cron jobs">
      <h2>Cron jobs</h2>
      {here.length === 0 && areAll && (
        <p class="quiet">
          None submits builds here. <a href={`${base}/cron`}>Create one</a> whose manifest says{" "}
          <code>{`namespace: ${named}`}</code>.
        </p>
      )}
      {here.length > 0 && (
        <ul class="rows">
          {here.map((cron) => (
            <Row key={cron.id} cron={cron} now={now} />
          ))}
        </ul>
      )}
      {!areAll && (
        <p>
          <a href={`${base}/cron`}>All your cron jobs</a>
        </p>
      )}
    </section>
  );
}

const Row = ({ cron: { url, name, schedule, timezone, next_run, last_error }, now }: { cron: Cron; now: number }) => (
  <li class="row">
    <div class="what">
      <a href={pageOf(url)}>{name}</a>
      <div class="quiet">
        <span>{`${schedule} ${timezone}`}</span>
        {last_error && <span class="reason">{last_error}</span>}
      </div>
    </div>
    <span class="when quiet">{`next run ${ahead(next_run, now)}`}</span>
  </li>
);
