import { Fault } from "../rpc/fault.js";
import { span, traced, traceId, traceparent, untraced } from "./trace.js";

describe("without an SDK", () => {
  test("span returns the same empty span for every call", () => {
    const from = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const empty = span("one", { begin: true, kind: "server", from });
    expect(span("another")).toBe(empty);
    expect(empty.traceparent).toBeUndefined();
    expect(empty.run(() => [traceparent(), traceId()])).toEqual([undefined, undefined]);
  });

  test("traced and untraced return or throw what the work does", async () => {
    expect(await traced("work", { begin: true }, async () => 7)).toBe(7);
    expect(untraced(() => 8)).toBe(8);
    const thrown = new Fault("not_found", "Not Found");
    await expect(
      traced("work", {}, async () => {
        throw thrown;
      }),
    ).rejects.toBe(thrown);
  });
});
