import { type components, record } from "@service-ci/client";
import { useState } from "preact/hooks";
import { base, client, pagesIn, serverTime } from "../../api.js";
import { Copy, newSecret } from "../../copy.js";
import { useData, useNow } from "../../data.js";
import { Choice, Form, Remove, textOf } from "../../form.js";
import { duration } from "../../format.js";
import { go } from "../../location.js";
import { Ago, Complaint, Failed, Live, Loading, Status } from "../../parts.js";
import type { Params } from "../../routes.js";
import { useSaying } from "../../said.js";
import { useWork } from "../../work.js";
import { NamespaceFrame, namespacePath } from "./frame.js";
import { DeliveryCounts, useCounts } from "./webhook-counts.js";
import { DeliveryList } from "./webhook-deliveries.js";
import { conditionsText, eventsText, WebhookFields, webhookIn } from "./webhook-form.js";
import { WebhookHeaders } from "./webhook-headers.js";
import { WebhookRateLimit } from "./webhook-rate-limit.js";
import { ReplayMissed } from "./webhook-replay.js";
import { SendTest } from "./webhook-test.js";
import { disabledText, outcomeText } from "./webhooks.js";

type Webhook = components["schemas"]["Webhook"];

const pathOf = ({ user = "", path = "", id = "" }: Params) => ({ username: user, path, id: Number(id) });

async function load(params: Params) {
  const path = pathOf(params);
  const [webhook, deliveries] = await Promise.all([
    record(client.api.GET("/n/{username}/{path}/-/webhooks/{id}", { params: { path } })),
    client.api.GET("/n/{username}/{path}/-/webhooks/{id}/deliveries", { params: { path, query: { page: 1 } } }),
  ]);
  return { webhook, deliveries: deliveries.data ?? [], pages: pagesIn(deliveries.response) };
}

/** A webhook with its state and its newest deliveries. */
export function WebhookPage({ params }: { params: Params }) {
  const { data, error, liveness, reload } = useData("webhook", () => load(params), {
    everyMs: ({ deliveries }) => (deliveries.some(({ status }) => status === "pending") ? 2_000 : 5_000),
  });
  const counts = useCounts(pathOf(params));
  const [said, setSaid] = useSaying();
  const [secret, setSecret] = useState<string>();
  const work = useWork(reload);
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  if (!data)
    return (
      <NamespaceFrame params={params} section="webhooks" title={`Webhook ${params.id}`}>
        <Loading />
      </NamespaceFrame>
    );
  const { webhook, deliveries, pages } = data;
  const at = { params: { path: pathOf(params) } };
  const change = async (body: object, done: string) => {
    await client.api.PATCH("/n/{username}/{path}/-/webhooks/{id}", { ...at, body });
    setSaid(done);
  };
  const renew = async () => {
    const next = newSecret();
    await change({ secret: next }, "The webhook has a new secret. It is not shown again.");
    setSecret(next);
  };
  const toggle = () =>
    change({ active: !webhook.active }, webhook.active ? "The webhook is turned off." : "The webhook is turned on.");
  const list = `${base}${namespacePath(params)}/-/webhooks`;
  const reloadAll = () => {
    reload();
    counts.reload();
  };
  return (
    <NamespaceFrame
      params={params}
      section="webhooks"
      title={`Webhook ${webhook.id}`}
      actions={
        <>
          <button type="button" disabled={work.busy} onClick={() => work.start(toggle)}>
            {webhook.active ? "Turn off" : "Turn on"}
          </button>
          <button type="button" disabled={work.busy} onClick={() => work.start(renew)}>
            New secret
          </button>
          <Remove
            what="this webhook"
            work={() => client.api.DELETE("/n/{username}/{path}/-/webhooks/{id}", at)}
            onDone={() => go(list)}
          />
        </>
      }
    >
      {work.failure !== undefined && <Complaint error={work.failure} />}
      <div class={said ? "done" : undefined} role="status">
        {said && <p>{said}</p>}
        {secret !== undefined && <Copy key={secret} label="Secret" value={secret} />}
      </div>
      <Facts webhook={webhook} now={now} />
      <Change webhook={webhook} work={work} change={change} onDone={reload} />
      <WebhookHeaders path={pathOf(params)} address={webhook.payload_url} />
      <WebhookRateLimit path={pathOf(params)} />
      <section aria-label="Deliveries">
        <h2>Deliveries</h2>
        <DeliveryCounts data={counts.data} list={`${list}/${webhook.id}/deliveries`} />
        <Live liveness={liveness} />
        <DeliveryList deliveries={deliveries} now={now} />
        <SendTest path={pathOf(params)} webhook={webhook} />
        {deliveries.length > 0 && <DeliveryLinks all={`${list}/${webhook.id}/deliveries`} />}
        {(pages.next !== undefined || deliveries.some(({ status }) => ["failed", "cancelled"].includes(status))) && (
          <Retry params={params} onDone={reloadAll} />
        )}
        {webhook.active && <ReplayMissed path={pathOf(params)} onDone={reloadAll} />}
      </section>
    </NamespaceFrame>
  );
}

const DeliveryLinks = ({ all }: { all: string }) => (
  <p>
    <a href={all}>All deliveries</a> <a href={`${all}?status=failed`}>Failed deliveries</a>
  </p>
);

interface ChangeProps {
  readonly webhook: Webhook;
  readonly work: ReturnType<typeof useWork>;
  readonly change: (body: object, done: string) => Promise<void>;
  readonly onDone: () => void;
}

const Change = ({ webhook, work, change, onDone }: ChangeProps) => (
  <details>
    <summary>Change</summary>
    <Form
      key={JSON.stringify([webhook.payload_url, webhook.events, webhook.filter])}
      action="Save"
      submit={async (fields) => change(webhookIn(fields), "Changed the webhook.")}
      onDone={onDone}
    >
      <WebhookFields url={webhook.payload_url} chosen={webhook.events} filter={webhook.filter} />
    </Form>
    <button
      type="button"
      disabled={work.busy}
      onClick={() => work.start(() => change({ remove_secret: true }, "Requests are no longer signed."))}
    >
      Stop signing
    </button>
  </details>
);

const Facts = ({ webhook, now }: { webhook: Webhook; now: number }) => (
  <dl class="facts">
    <div>
      <dt>Address</dt>
      <dd>{webhook.payload_url}</dd>
    </div>
    <div>
      <dt>State</dt>
      <dd>
        <Status status={webhook.active ? "active" : "off"} />{" "}
        {webhook.disabled_reason && (
          <span class="reason">{`${disabledText[webhook.disabled_reason]}; turn it on again once that is settled`}</span>
        )}
      </dd>
    </div>
    <div>
      <dt>Events</dt>
      <dd>{eventsText(webhook.events)}</dd>
    </div>
    {webhook.filter && (
      <div>
        <dt>Filter</dt>
        <dd>{conditionsText(webhook.filter).replaceAll("\n", ", ")}</dd>
      </div>
    )}
    <div>
      <dt>Last attempt</dt>
      <dd>
        {webhook.last_response ? (
          <>
            {`${outcomeText(webhook.last_response)}, ${duration(webhook.last_response.duration / 1e9)}, `}
            <Ago time={webhook.last_response.created_at} now={now} />
          </>
        ) : (
          <span class="quiet">none yet</span>
        )}
      </dd>
    </div>
  </dl>
);

const spans = { 1: "hour", 24: "day", 168: "week", 720: "30 days" };

/** Resends failed and cancelled deliveries, for example after an outage. */
function Retry({ params, onDone }: { params: Params; onDone: () => void }) {
  const [said, setSaid] = useSaying();
  const retry = async (fields: FormData) => {
    const since = new Date(serverTime.now() - Number(textOf(fields, "hours")) * 3_600_000).toISOString();
    const call = client.api.POST("/n/{username}/{path}/-/webhooks/{id}/redeliver", {
      params: { path: pathOf(params) },
      body: { since },
    });
    const { count, at_least } = await record(call);
    setSaid(`Resending ${count}${at_least ? " or more" : ""} ${count === 1 ? "delivery" : "deliveries"}.`);
  };
  return (
    <>
      <Form action="Resend failed and cancelled deliveries" submit={retry} onDone={onDone}>
        <Choice name="hours" label="Made in the last" options={spans} />
      </Form>
      <p role="status">{said}</p>
    </>
  );
}
