import { type components, record } from "@service-ci/client";
import { client, pagesIn } from "../../api.js";
import { useData, useNow } from "../../data.js";
import { FilterChoice, FilterForm } from "../../filter-form.js";
import { duration, moment, size } from "../../format.js";
import { Ago, Complaint, Empty, Failed, Live, Loading, Status } from "../../parts.js";
import type { Params } from "../../routes.js";
import { useWork } from "../../work.js";
import { DeliveriesPage, DeliveryRow, OwnerLink, pathOf } from "./deliveries.js";
import { NamespaceFrame } from "./frame.js";

type Schemas = components["schemas"];
type Delivery = Schemas["Delivery"];
type FullDelivery = Schemas["FullDelivery"];

/** The number of attempts, and the outcome of the last one. */
const Sent = ({ delivery: { code, error, attempt_count, next_attempt_at } }: { delivery: Delivery }) => (
  <>
    {code !== null && !error && <span>{`response ${code}`}</span>}
    {error && <span class="reason">{error}</span>}
    {attempt_count > 1 && <span>{`${attempt_count} attempts`}</span>}
    {next_attempt_at && <span>{`next attempt ${moment(next_attempt_at)}`}</span>}
  </>
);

/** Deliveries as rows, newest first. */
export const DeliveryList = ({ deliveries, now }: { deliveries: readonly Delivery[]; now: number }) =>
  deliveries.length === 0 ? (
    <Empty>
      <p>No deliveries yet. The next event that the webhook receives will appear here.</p>
    </Empty>
  ) : (
    <ul class="rows">
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.id} delivery={delivery} name={delivery.event} now={now}>
          <Sent delivery={delivery} />
        </DeliveryRow>
      ))}
    </ul>
  );

const onlyFailed = () => new URLSearchParams(location.search).get("status") === "failed";

async function loadList(params: Params, page: number) {
  const { data = [], response } = await client.api.GET("/n/{username}/{path}/-/webhooks/{id}/deliveries", {
    params: { path: pathOf(params), query: { page, ...(onlyFailed() && { status: "failed" as const }) } },
  });
  return { deliveries: data, pages: pagesIn(response) };
}

/** All deliveries of a webhook. */
export const WebhookDeliveriesPage = ({ params }: { params: Params }) => (
  <DeliveriesPage
    params={params}
    section="webhooks"
    filters={
      <FilterForm>
        <FilterChoice name="status" label="Status" options={[["failed", "failed"]]} />
      </FilterForm>
    }
    load={(page) => loadList(params, page)}
    everyMs={({ deliveries }) => (deliveries.some(({ status }) => status === "pending") ? 2_000 : 5_000)}
    list={(deliveries, now) =>
      deliveries.length === 0 && onlyFailed() ? (
        <Empty>
          <p>No delivery has failed for good.</p>
        </Empty>
      ) : (
        <DeliveryList deliveries={deliveries} now={now} />
      )
    }
  />
);

/** A delivery with its request, response and attempts. */
export function WebhookDeliveryPage({ params }: { params: Params }) {
  const at = { params: { path: { ...pathOf(params), delivery: Number(params.delivery) } } };
  const { data, error, liveness, reload } = useData(
    "delivery",
    () => record(client.api.GET("/n/{username}/{path}/-/webhooks/{id}/deliveries/{delivery}", at)),
    { everyMs: ({ status }) => (status === "pending" ? 1_000 : undefined) },
  );
  const { busy, failure, start } = useWork(reload);
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  const redeliver = () => client.api.POST("/n/{username}/{path}/-/webhooks/{id}/deliveries/{delivery}/redeliver", at);
  return (
    <NamespaceFrame
      params={params}
      section="webhooks"
      title={`Delivery ${params.delivery}`}
      actions={
        <button type="button" disabled={busy || data?.status === "pending"} onClick={() => start(redeliver)}>
          Redeliver
        </button>
      }
    >
      <OwnerLink params={params} section="webhooks" />
      {failure !== undefined && <Complaint error={failure} />}
      <Live liveness={liveness} />
      {data ? <Shown delivery={data} now={now} /> : <Loading />}
    </NamespaceFrame>
  );
}

const Shown = ({ delivery, now }: { delivery: FullDelivery; now: number }) => (
  <>
    <div class="summary">
      <p role="status">
        <Status status={delivery.status} />
        {delivery.error && <span class="reason">{delivery.error}</span>}
      </p>
      <p class="quiet">
        <span>{delivery.event}</span>
        <span>
          made <Ago time={delivery.created_at} now={now} />
        </span>
        {delivery.next_attempt_at && <span>{`next attempt ${moment(delivery.next_attempt_at)}`}</span>}
      </p>
    </div>
    <section aria-label="Attempts">
      <h2>Attempts</h2>
      {delivery.attempts.length === 0 && <p class="quiet">None yet.</p>}
      <ol class="rows">
        {delivery.attempts.map((attempt) => (
          <li class="row" key={attempt.number}>
            <Status status={attempt.error === null ? "delivered" : "failed"} />
            <div class="what">
              <span>{`Attempt ${attempt.number}${attempt.redelivery ? ", requested by a user" : ""}`}</span>
              <div class="quiet">
                {attempt.code !== null && !attempt.error && <span>{`response ${attempt.code}`}</span>}
                {attempt.error && <span class="reason">{attempt.error}</span>}
                <span>{duration(attempt.duration / 1e9)}</span>
              </div>
            </div>
            <div class="when quiet">
              <time dateTime={attempt.created_at}>{moment(attempt.created_at)}</time>
            </div>
          </li>
        ))}
      </ol>
    </section>
    <Message name="Request" headers={delivery.request.headers} body={delivery.request.payload} />
    {delivery.response ? (
      <Message
        name={`Response ${delivery.response.code}`}
        headers={delivery.response.headers}
        body={delivery.response.body}
        cut={delivery.response.truncated}
      />
    ) : (
      <section aria-label="Response">
        <h2>Response</h2>
        <p class="quiet">The receiver has not responded.</p>
      </section>
    )}
  </>
);

/** Longer bodies are cut, because builds contain their manifests. */
const maxShown = 64 * 1024;

/** Indents JSON; returns any other text unchanged. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

interface MessageProps {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly cut?: boolean;
}

function Message({ name, headers, body, cut = false }: MessageProps) {
  const text = body.length > maxShown ? body.slice(0, maxShown) : readable(body);
  const isShort = cut || body.length > maxShown;
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      <dl class="facts">
        {Object.entries(headers).map(([header, value]) => (
          <div key={header}>
            <dt>{header}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {body === "" ? (
        <p class="quiet">The body is empty.</p>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
          <pre tabIndex={0} class="body">
            {text}
          </pre>
          {isShort && <p class="quiet">{`Only the first ${size(Math.min(body.length, maxShown))} are shown.`}</p>}
        </>
      )}
    </section>
  );
}
