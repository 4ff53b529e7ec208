import { type components, conditionsOf, filterOf } from "@service-ci/client";
import { Field, LongField, textOf } from "../../form.js";

export type EventName = components["schemas"]["Event"];

/** Labels of the events. */
export const events: Readonly<Record<EventName, string>> = {
  "build.submitted": "Build submitted",
  "build.started": "Build started",
  "build.finished": "Build finished",
  "build.tagged": "Build tagged",
  "build.pinned": "Build pinned",
  "build.unpinned": "Build unpinned",
  "invite.sent": "Invite sent",
  "invite.accepted": "Invite accepted",
  "invite.rejected": "Invite rejected",
  namespaces: "Namespaces",
  cron: "Cron jobs",
  images: "Images",
  objects: "Objects",
  variables: "Variables",
  ssh_keys: "SSH keys",
};

const names = Object.keys(events) as EventName[];

/** Returns a short description of the chosen events. */
export function eventsText(chosen: readonly EventName[]): string {
  if (chosen.length === names.length) return "all events";
  return chosen.length > 3 ? `${chosen.length} events` : chosen.map((name) => events[name].toLowerCase()).join(", ");
}

type Filter = components["schemas"]["Webhook"]["filter"];

/** Returns the conditions of a filter, one per line. */
export const conditionsText = (filter: Filter): string => conditionsOf(filter ?? {}).join("\n");

const filterIn = (text: string) => filterOf(text.split("\n").filter((line) => line.trim() !== ""));

function complaintAbout(text: string): string {
  try {
    filterIn(text);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

interface Props {
  readonly url?: string;
  readonly chosen?: readonly EventName[];
  readonly filter?: Filter;
}

/** The fields of a webhook that can be changed. */
export const WebhookFields = ({ url, chosen = [], filter = null }: Props) => (
  <>
    <Field
      name="payload_url"
      label="Address"
      type="url"
      required
      secret
      defaultValue={url}
      placeholder="https://example.com/hook"
      hint="Each event is sent there as a POST request with JSON."
    />
    <fieldset class="events">
      <legend>Events; all if you choose none</legend>
      {names.map((name) => (
        <label class="check" key={name}>
          <input
            type="checkbox"
            name="events"
            value={name}
            defaultChecked={chosen.length < names.length && chosen.includes(name)}
          />{" "}
          {events[name]}
        </label>
      ))}
    </fieldset>
    <LongField
      name="filter"
      label="Filter"
      rows={3}
      value={conditionsText(filter)}
      placeholder={"status=failed\ntrigger.data.ref=refs/heads/main"}
      hint="Only events whose JSON has this value at this path. One condition per line; lines with the same path are alternatives. Texts such as 5 or true in quotes."
      onInput={({ currentTarget: field }) => field.setCustomValidity(complaintAbout(field.value))}
    />
  </>
);

/** Returns the request body for the fields. */
export function webhookIn(fields: FormData) {
  const payload_url = textOf(fields, "payload_url");
  const events = fields.getAll("events") as EventName[];
  const filter = filterIn(textOf(fields, "filter"));
  return { payload_url, events, filter, ssl: payload_url.toLowerCase().startsWith("https:") };
}
