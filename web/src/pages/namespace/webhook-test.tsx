import { type components, record } from "@service-ci/client";
import { client, pageOf } from "../../api.js";
import { Choice, Form, textOf } from "../../form.js";
import { go } from "../../location.js";
import { type EventName, events } from "./webhook-form.js";

interface SendTestProps {
  readonly path: { readonly username: string; readonly path: string; readonly id: number };
  readonly webhook: components["schemas"]["Webhook"];
}

/** Sends an example of an event, and opens its delivery, which shows the response as it arrives. */
export function SendTest({ path, webhook }: SendTestProps) {
  const send = async (fields: FormData) => {
    const body = { event: textOf(fields, "event") };
    const { url } = await record(
      client.api.POST("/n/{username}/{path}/-/webhooks/{id}/test", { params: { path }, body }),
    );
    const page = pageOf(url ?? "");
    if (page !== undefined) go(page);
  };
  const options = Object.fromEntries(webhook.events.map((name: EventName) => [name, events[name]]));
  return (
    <Form action="Send a test" submit={send}>
      <Choice name="event" label="Event" options={options} />
    </Form>
  );
}
