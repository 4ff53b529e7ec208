import { examplePayload } from "@ci/rest/event-examples";
import { eventNames } from "@ci/rest/event-names";
import { eventPayloads } from "@ci/rest/event-payloads";
import { type Json, schemaOf } from "./schema.js";

const header = (name: string, description: string, required = true): Json => ({
  name,
  in: "header",
  description,
  required,
  schema: { type: "string" },
});
const ofSecret = (name: string, description: string) => header(name, `${description}; absent without a secret`, false);

/** With the default of `WEBHOOK_HEADER_PREFIX`. */
const parameters = [
  header("X-Service-CI-Event", "The event"),
  header("X-Service-CI-Delivery", "UUID of the delivery, the same for every attempt"),
  header("X-Service-CI-Hook-ID", "Id of the webhook"),
  header("X-Service-CI-Test", "`true` if a user requested the event as a test; absent otherwise", false),
  ofSecret("X-Service-CI-Signature", "`sha256=` and the HMAC of the body in hexadecimal digits"),
  ofSecret("webhook-id", "UUID of the delivery, the same for every attempt"),
  ofSecret("webhook-timestamp", "When the attempt was made, in Unix seconds"),
  ofSecret("webhook-signature", "One or more signatures, separated by spaces"),
];

const responses = {
  "2XX": { description: "The receiver accepts the delivery" },
  "410": { description: "The receiver wants no more deliveries: the webhook is deactivated" },
  default: { description: "The delivery failed, and is retried" },
};

/** The types of the requests that webhooks send. */
export const payloads = Object.values(eventPayloads);

/** Describes the requests that webhooks send, by event. */
export const webhooks = (): Json =>
  Object.fromEntries(
    eventNames.map((event) => {
      const media = { schema: schemaOf(eventPayloads[event], "output"), example: examplePayload(event) };
      const requestBody = { required: true, content: { "application/json": media } };
      return [
        event,
        { post: { summary: `A webhook sends ${event}`, security: [], parameters, requestBody, responses } },
      ];
    }),
  );
