import { BSON } from "mongodb";
import { type OutboxEvent, requireOutboxRoom } from "./document.js";

const mib = 1024 ** 2;

test.each([0, 300, 100_000])(
  "waiting events with %d bytes of text take no more of a document than they may",
  (length) => {
    const event: OutboxEvent = {
      id: "i".repeat(36),
      kind: "namespace.collaborator_added",
      at: new Date(0),
      json: "j".repeat(length),
      shared: { field: "manifest", at: 1e6, length: 1e6 },
      trail: { requestId: "r".repeat(64), traceparent: "t".repeat(55) },
    };
    const isAccepted = (count: number) => {
      try {
        requireOutboxRoom({ outbox: Array<OutboxEvent>(count).fill(event) });
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: "unavailable" });
        return false;
      }
    };
    let [most, refused] = [0, 20_000];
    while (refused - most > 1) {
      const count = (most + refused) >> 1;
      if (isAccepted(count)) most = count;
      else refused = count;
    }
    const bytes = BSON.calculateObjectSize({ outbox: Array(most).fill(event) });
    expect(bytes).toBeLessThanOrEqual(4 * mib);
    expect(bytes).toBeGreaterThan(3 * mib);
  },
);
