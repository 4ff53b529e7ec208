import { type components, record } from "@service-ci/client";
import { base, client, pagesIn } from "../../api.js";
import { useData, useNow } from "../../data.js";
import { go } from "../../location.js";
import { Ago, Complaint, Empty, Failed, Live, Loading, Status } from "../../parts.js";
import type { Params } from "../../routes.js";
import { useWork } from "../../work.js";
import { BuildsAt } from "./builds-at.js";
import { DeliveriesPage, DeliveryRow, OwnerLink, pathOf } from "./deliveries.js";
import { NamespaceFrame, namespacePath } from "./frame.js";

type HookDelivery = components["schemas"]["HookDelivery"];

const shortRef = (ref: string): string => ref.replace(/^refs\/(heads|tags)\//, "");
const ownEvents: Readonly<Record<string, string>> = { connected: "first build", run: "run by hand" };
const eventText = (event: string): string =>
  Object.hasOwn(ownEvents, event) ? ownEvents[event]! : event || "no event";

/** Reports whether the provider sent it, and not this service or a user. */
const isFromProvider = ({ event, redelivery_of }: HookDelivery): boolean =>
  !Object.hasOwn(ownEvents, event) && redelivery_of === null;

/** The commit of a delivery, and the builds it triggered. */
const Made = ({ delivery: { status, ref, sha, reasons, builds, redelivery_of } }: { delivery: HookDelivery }) => (
  <>
    {ref && <span>{shortRef(ref)}</span>}
    {sha && <code>{sha.slice(0, 8)}</code>}
    {builds.length > 0 && <span>{builds.length === 1 ? "1 build" : `${builds.length} builds`}</span>}
    {redelivery_of !== null && <span>{`repeats #${redelivery_of}`}</span>}
    {reasons[0] !== undefined && <span class={status === "failed" ? "reason" : ""}>{reasons[0]}</span>}
  </>
);

/** Deliveries as rows, newest first. */
export const HookDeliveryList = ({ deliveries, now }: { deliveries: readonly HookDelivery[]; now: number }) =>
  deliveries.length === 0 ? (
    <Empty>
      <p>No deliveries yet. Push a commit to see one here.</p>
    </Empty>
  ) : (
    <ul class="rows">
      {deliveries.map((delivery) => (
        <DeliveryRow key={delivery.id} delivery={delivery} name={eventText(delivery.event)} now={now}>
          <Made delivery={delivery} />
        </DeliveryRow>
      ))}
    </ul>
  );

async function loadList(params: Params, page: number) {
  const { data = [], response } = await client.api.GET("/n/{username}/{path}/-/repositories/{id}/deliveries", {
    params: { path: pathOf(params), query: { page } },
  });
  return { deliveries: data, pages: pagesIn(response) };
}

/** All deliveries to the webhook of a repository. */
export const HookDeliveriesPage = ({ params }: { params: Params }) => (
  <DeliveriesPage
    params={params}
    section="repositories"
    load={(page) => loadList(params, page)}
    everyMs={() => 3_000}
    list={(deliveries, now) => <HookDeliveryList deliveries={deliveries} now={now} />}
  />
);

/** A provider's event, with the builds that it triggered, or why it triggered none. */
export function HookDeliveryPage({ params }: { params: Params }) {
  const at = { params: { path: { ...pathOf(params), delivery: Number(params.delivery) } } };
  const { data, error, liveness, reload } = useData(
    "delivery",
    () => record(client.api.GET("/n/{username}/{path}/-/repositories/{id}/deliveries/{delivery}", at)),
    { everyMs: ({ status }) => (status === "pending" ? 1_000 : undefined) },
  );
  const { busy, failure, start } = useWork(reload);
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  const redeliver = async () => {
    const call = client.api.POST("/n/{username}/{path}/-/repositories/{id}/deliveries/{delivery}/redeliver", at);
    const { id } = await record(call);
    go(`${base}${namespacePath(params)}/-/repositories/${params.id}/deliveries/${id}`);
  };
  return (
    <NamespaceFrame
      params={params}
      section="repositories"
      title={`Delivery ${params.delivery}`}
      actions={
        <button type="button" disabled={busy} onClick={() => start(redeliver)}>
          Redeliver
        </button>
      }
    >
      <OwnerLink params={params} section="repositories" />
      {failure !== undefined && <Complaint error={failure} />}
      <Live liveness={liveness} />
      {data ? <Shown delivery={data} now={now} params={params} /> : <Loading />}
    </NamespaceFrame>
  );
}

const results: Readonly<Record<HookDelivery["status"], string>> = {
  pending: "The event is being processed.",
  built: "The event triggered these builds.",
  skipped: "The event triggered no build, as expected.",
  failed: "The commit could not be built with all of its manifests.",
};

const resultText = ({ event, status }: HookDelivery): string =>
  status === "skipped" && Object.hasOwn(ownEvents, event) ? "No build was triggered." : results[status];

const Shown = ({ delivery, now, params }: { delivery: HookDelivery; now: number; params: Params }) => (
  <>
    <p class="summary" role="status">
      <Status status={delivery.status} /> {resultText(delivery)}
    </p>
    {delivery.reasons.length > 0 && (
      <ul class="reasons">
        {delivery.reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    )}
    {delivery.builds.length > 0 && (
      <section aria-label="Builds">
        <h2>Builds</h2>
        <BuildsAt urls={delivery.builds} />
      </section>
    )}
    <dl class="facts">
      <div>
        <dt>Event</dt>
        <dd>{eventText(delivery.event)}</dd>
      </div>
      <div>
        <dt>Received</dt>
        <dd>
          <Ago time={delivery.created_at} now={now} />
        </dd>
      </div>
      {delivery.ref && (
        <div>
          <dt>Branch or tag</dt>
          <dd>{shortRef(delivery.ref)}</dd>
        </div>
      )}
      {delivery.sha && (
        <div>
          <dt>Commit</dt>
          <dd>
            <code>{delivery.sha}</code>
          </dd>
        </div>
      )}
      {isFromProvider(delivery) && (
        <div>
          <dt>Provider's ID</dt>
          <dd>{delivery.delivery_id}</dd>
        </div>
      )}
      {delivery.redelivery_of !== null && (
        <div>
          <dt>Repeats</dt>
          <dd>
            <a
              href={`${base}${namespacePath(params)}/-/repositories/${params.id}/deliveries/${delivery.redelivery_of}`}
            >{`Delivery ${delivery.redelivery_of}`}</a>
          </dd>
        </div>
      )}
    </dl>
  </>
);
