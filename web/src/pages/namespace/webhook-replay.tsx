import { record } from "@service-ci/client";
import { client, serverTime } from "../../api.js";
import { Choice, Form, textOf } from "../../form.js";
import { useSaying } from "../../said.js";

interface Props {
  readonly path: { readonly username: string; readonly path: string; readonly id: number };
  readonly onDone: () => void;
}

const spans = { 1: "hour", 6: "6 hours", 24: "day" };

function saidOf(count: number, atLeast: boolean): string {
  if (count === 0)
    return atLeast ? "Sending what the webhook has missed, if anything." : "The webhook has missed nothing.";
  return `Sending ${count}${atLeast ? " or more" : ""} missed ${count === 1 ? "event" : "events"}.`;
}

/** Sends events for which an active webhook has no delivery, for example because it was turned off. */
export function ReplayMissed({ path, onDone }: Props) {
  const [said, setSaid] = useSaying();
  const replay = async (fields: FormData) => {
    const since = new Date(serverTime.now() - Number(textOf(fields, "hours")) * 3_600_000).toISOString();
    const call = client.api.POST("/n/{username}/{path}/-/webhooks/{id}/replay", { params: { path }, body: { since } });
    const { count, at_least } = await record(call);
    setSaid(saidOf(count, at_least));
  };
  return (
    <details>
      <summary>Missed events</summary>
      <Form action="Replay missed events" submit={replay} onDone={onDone}>
        <Choice name="hours" label="Happened in the last" options={spans} />
      </Form>
      <p role="status">{said}</p>
    </details>
  );
}
