import { type components, record } from "@service-ci/client";
import { useState } from "preact/hooks";
import { client } from "../../api.js";
import { useData } from "../../data.js";
import { Field, Form, textOf } from "../../form.js";
import { Complaint, Loading } from "../../parts.js";
import { useSaying } from "../../said.js";
import { useWork } from "../../work.js";

type Headers = components["schemas"]["WebhookHeaders"]["headers"];

interface Props {
  readonly path: { readonly username: string; readonly path: string; readonly id: number };
  /** Another address may remove the headers. */
  readonly address: string;
}

const without = (headers: Headers, name: string): Headers =>
  Object.fromEntries(Object.entries(headers).filter(([one]) => one.toLowerCase() !== name.toLowerCase()));

/** The headers of a webhook's own, which the user sets and removes one at a time. */
export function WebhookHeaders({ path, address }: Props) {
  const at = { params: { path } };
  const read = () => record(client.api.GET("/n/{username}/{path}/-/webhooks/{id}/headers", at));
  const { data, error, reload } = useData(`headers ${path.id} ${address}`, read);
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useSaying();
  const work = useWork(reload);
  if (!data) return error ? <Complaint error={error} /> : <Loading />;
  /** A request replaces all headers: the others are those that the server has now. */
  const store = async (name: string, added: Readonly<Record<string, string>>, done: string) => {
    setBusy(true);
    try {
      const headers = { ...without((await read()).headers, name), ...added };
      await client.api.PUT("/n/{username}/{path}/-/webhooks/{id}/headers", { ...at, body: { headers } });
      setSaid(done);
    } finally {
      setBusy(false);
    }
  };
  const set = (fields: FormData) => {
    const name = textOf(fields, "name");
    return store(name, { [name]: textOf(fields, "value") }, `Set the header ${name}.`);
  };
  return (
    <details>
      <summary>Headers</summary>
      <p class="quiet">
        Every request carries them. Their values are not shown again. Another scheme, host or port of the address
        removes them.
      </p>
      <ul class="rows">
        {Object.keys(data.headers).map((name) => (
          <li class="row" key={name}>
            <div class="what">
              <code>{name}</code>
            </div>
            <button
              type="button"
              disabled={busy || work.busy}
              onClick={() => work.start(() => store(name, {}, `Removed the header ${name}.`))}
            >
              {`Remove ${name}`}
            </button>
          </li>
        ))}
      </ul>
      {work.failure !== undefined && <Complaint error={work.failure} />}
      <p role="status">{said}</p>
      <Form action="Set the header" submit={set} onDone={reload} waits={busy}>
        <Field name="name" label="Name" required placeholder="Authorization" />
        <Field name="value" label="Value" required secret type="password" autoComplete="new-password" />
      </Form>
    </details>
  );
}
