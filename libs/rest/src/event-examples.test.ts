import { z } from "zod";
import { child, onDay, relations, stamp, url } from "../test/sample.js";
import { eventJson } from "./event.js";
import { exampleEvent, examplePayload } from "./event-examples.js";
import { eventNames } from "./event-names.js";
import { eventPayloads } from "./event-payloads.js";

const occasion = { id: "e-1", at: onDay(9), namespace: child };

test.each(eventNames)("the example of %s has the schema of its event, and no further fields", (kind) => {
  const payload = examplePayload(kind);
  expect(z.strictObject(eventPayloads[kind].shape).parse(payload)).toEqual(payload);
});

test.each(eventNames)("an example of %s is in the given namespace", (kind) => {
  const event = exampleEvent(kind, occasion);
  expect(event).toMatchObject({ id: "e-1", kind, at: onDay(9), namespaceId: child.id });
  const text = JSON.stringify(eventJson(event, relations));
  expect(text).toContain(`${url}/n/ada/acme/web`);
  expect(text).toContain('"username":"ada"');
});

test("an example of a finished build has finished just now", () => {
  const payload = eventJson(exampleEvent("build.finished", occasion), relations);
  expect(payload).toMatchObject({ status: "passed", finished_at: stamp(9), namespace: { path: "acme/web" } });
});
