import { type components, record } from "@service-ci/client";
import { useState } from "preact/hooks";
import { client, pageOf, pagesIn } from "../../api.js";
import { Copy, newSecret } from "../../copy.js";
import { useData, useNow } from "../../data.js";
import { Check, Form } from "../../form.js";
import { Ago, Empty, Failed, Live, Loading, Paging, Status } from "../../parts.js";
import type { Params } from "../../routes.js";
import { NamespaceFrame } from "./frame.js";
import { eventsText, WebhookFields, webhookIn } from "./webhook-form.js";

type Webhook = components["schemas"]["Webhook"];

/** Returns how the last attempt to deliver an event ended. */
export const outcomeText = ({ code, error }: { code: number | null; error: string | null }): string =>
  error ?? (code === null ? "no response" : `${code}`);

export const disabledText: Readonly<Record<string, string>> = {
  gone: "turned off because the receiver responded with 410 Gone",
  failing: "turned off because no attempt has succeeded for a long time",
  departed: "turned off because the member who chose its address has left, or the namespace's owner was deleted",
};

const path = ({ user = "", path = "" }: Params) => ({ username: user, path });

async function load(params: Params, page: number) {
  const { data = [], response } = await client.api.GET("/n/{username}/{path}/-/webhooks", {
    params: { path: path(params), query: { page } },
  });
  return { webhooks: data, pages: pagesIn(response) };
}

/** The webhooks of a namespace. */
export function WebhooksPage({ params }: { params: Params }) {
  const page = Number(new URLSearchParams(location.search).get("page") ?? 1);
  const { data, error, liveness, reload } = useData(`webhooks ${page}`, () => load(params, page), {
    everyMs: () => 10_000,
  });
  const [made, setMade] = useState<{ url: string; secret?: string | undefined }>();
  const now = useNow(true);
  if (error && !data) return <Failed error={error} />;
  const create = async (fields: FormData) => {
    const secret = fields.has("sign") ? newSecret() : undefined;
    const body = { ...webhookIn(fields), ...(secret === undefined ? {} : { secret }) };
    const call = client.api.POST("/n/{username}/{path}/-/webhooks", { params: { path: path(params) }, body });
    setMade({ url: (await record(call)).payload_url, secret });
  };
  return (
    <NamespaceFrame params={params} section="webhooks">
      <div role="status">{made && <Made key={made.secret} {...made} />}</div>
      <Live liveness={liveness} />
      {!data && <Loading />}
      {data?.webhooks.length === 0 && (
        <Empty>
          <p>There are no webhooks yet. Add one below to send each event of this namespace to your server.</p>
        </Empty>
      )}
      {data && data.webhooks.length > 0 && (
        <ul class="rows">
          {data.webhooks.map((webhook) => (
            <Row key={webhook.id} webhook={webhook} now={now} />
          ))}
        </ul>
      )}
      {data && <Paging pages={data.pages} />}
      <section aria-labelledby="add-webhook">
        <h2 id="add-webhook">Add a webhook</h2>
        <Form action="Add the webhook" submit={create} onDone={reload}>
          <WebhookFields />
          <Check name="sign" label="Sign the requests with a new secret" checked />
        </Form>
      </section>
    </NamespaceFrame>
  );
}

const Made = ({ url, secret }: { url: string; secret?: string | undefined }) => (
  <section class="done" aria-label="Webhook added">
    <p>{`Events are now sent to ${url}.`}</p>
    {secret !== undefined && (
      <>
        <p>Give the secret to the receiver, which needs it to verify signatures. It is not shown again.</p>
        <Copy label="Secret" value={secret} />
      </>
    )}
  </section>
);

const Row = ({ webhook, now }: { webhook: Webhook; now: number }) => (
  <li class="row">
    <Status status={webhook.active ? "active" : "off"} />
    <div class="what">
      <a href={pageOf(webhook.url ?? "")}>{webhook.payload_url}</a>
      <div class="quiet">
        <span>{`${eventsText(webhook.events)}${webhook.filter ? ", filtered" : ""}`}</span>
        {webhook.disabled_reason && <span class="reason">{disabledText[webhook.disabled_reason]}</span>}
      </div>
    </div>
    <div class="when quiet">
      {webhook.last_response ? (
        <>
          <span class={webhook.last_response.error ? "reason" : undefined}>{outcomeText(webhook.last_response)}</span>
          <Ago time={webhook.last_response.created_at} now={now} />
        </>
      ) : (
        <span>nothing sent yet</span>
      )}
    </div>
  </li>
);
