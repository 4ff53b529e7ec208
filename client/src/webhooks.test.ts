import { createHmac } from "node:crypto";
import { verifyDelivery } from "./webhooks.js";

const secret = "a secret with ünïcode";
const now = 1_800_000_000_000;
const body = '{"event":"build.finished","text":"ü"}';

function delivery(by: string = secret, timestamp = now / 1_000) {
  const signature = createHmac("sha256", by).update(`id.${timestamp}.${body}`).digest("base64");
  const headers = { "webhook-id": "id", "webhook-timestamp": `${timestamp}`, "webhook-signature": `v1,${signature}` };
  return { headers, body };
}

test("a genuine delivery is verified, and its body is parsed", async () => {
  expect(await verifyDelivery(delivery(), secret, { now })).toEqual({ id: "id", data: JSON.parse(body) });
});

test("one of several signatures is enough, as after a change of the secret", async () => {
  const { headers } = delivery();
  const both = { ...headers, "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` };
  await expect(verifyDelivery({ headers: both, body }, secret, { now })).resolves.toMatchObject({ id: "id" });
});

test.each([
  ["signed with another secret", delivery("other"), "No signature matches the secret"],
  ["with another body", { ...delivery(), body: "{}" }, "No signature matches the secret"],
  ["without a signature", { headers: {}, body }, "The header webhook-id is missing"],
  ["that is too old", delivery(secret, now / 1_000 - 301), "The delivery was sent more than 300 s ago"],
  ["from the future", delivery(secret, now / 1_000 + 301), "The delivery was sent more than 300 s ago"],
])("a delivery %s is refused", async (_name, given, message) => {
  await expect(verifyDelivery(given, secret, { now })).rejects.toThrow(message);
});
