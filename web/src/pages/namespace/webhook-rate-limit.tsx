import { record } from "@service-ci/client";
import { client } from "../../api.js";
import { useData } from "../../data.js";
import { Field, Form, textOf } from "../../form.js";
import { Complaint } from "../../parts.js";
import { useSaying } from "../../said.js";

interface Props {
  readonly path: { readonly username: string; readonly path: string; readonly id: number };
}

/** How many requests per second the webhook receives at most. */
export function WebhookRateLimit({ path }: Props) {
  const at = { params: { path } };
  const read = () => record(client.api.GET("/n/{username}/{path}/-/webhooks/{id}/rate-limit", at));
  const { data, error, reload } = useData(`rate limit ${path.id}`, read);
  const [said, setSaid] = useSaying();
  if (!data) return error ? <Complaint error={error} /> : null;
  const set = async (fields: FormData) => {
    const per_second = Number(textOf(fields, "per_second"));
    await client.api.PUT("/n/{username}/{path}/-/webhooks/{id}/rate-limit", { ...at, body: { per_second } });
    setSaid(per_second > 0 ? `The limit is ${per_second} requests per second.` : "There is no limit.");
  };
  return (
    <details>
      <summary>Rate limit</summary>
      <Form key={data.per_second} action="Set the limit" submit={set} onDone={reload}>
        <Field
          name="per_second"
          label="Requests per second"
          hint="0: no limit"
          type="number"
          min="0"
          max="1000"
          required
          value={String(data.per_second)}
        />
      </Form>
      <p role="status">{said}</p>
    </details>
  );
}
