import { createClient, type StreamEvent } from "./index.js";

const url = "https://ci.example.com";
const html = { "Content-Type": "text/html; charset=utf-8" };

/** Returns a client whose server sends these responses, one after another. */
function clientOf(...responses: Response[]) {
  return createClient({ url, fetch: async () => responses.shift()! });
}

const page = () => new Response("<p>Sign in", { headers: html });
const foreign = { name: "ForeignResponse", message: expect.stringContaining(`${url} does not answer as Service CI`) };

test("a page is no response of the API", async () => {
  await expect(clientOf(page()).api.GET("/user")).rejects.toMatchObject(foreign);
  await expect(clientOf(page()).request("/builds")).rejects.toMatchObject(foreign);
  const content = new Blob(["a"]).stream();
  await expect(clientOf(page()).upload("/objects", { name: "o" }, content)).rejects.toMatchObject(foreign);
  const text = new Response("OK", { headers: { "Content-Type": "text/plain" } });
  await expect(clientOf(text).api.GET("/user")).rejects.toMatchObject(foreign);
});

test("content may be HTML, and a deletion returns nothing", async () => {
  const headers = { ...html, "Content-Disposition": "attachment; filename=a.html" };
  const response = await clientOf(new Response("<p>Report", { headers })).request("/objects/1");
  expect(await response.text()).toBe("<p>Report");
  const params = { path: { user: "ann", number: 1 } };
  const deleted = await clientOf(new Response(null, { status: 204 })).api.DELETE("/b/{user}/{number}", { params });
  expect(deleted.data).toBeUndefined();
});

test.each([true, false])(
  "anything but a stream ends following, at first and later (waitsForServer: %s)",
  async (waits) => {
    const stream = () =>
      new Response('event: output\nid: 1\ndata: "a"\n\n', { headers: { "Content-Type": "text/event-stream" } });
    const json = new Response("{}", { headers: { "Content-Type": "application/json" } });
    const follow = async (...responses: Response[]) => {
      const events: StreamEvent[] = [];
      const error = await (async () => {
        for await (const event of clientOf(...responses).follow("/events", { waitsForServer: waits }))
          events.push(event);
      })().catch((thrown) => thrown);
      return { events: events.length, error };
    };
    expect(await follow(page())).toEqual({ events: 0, error: expect.objectContaining(foreign) });
    expect(await follow(json)).toEqual({ events: 0, error: expect.objectContaining(foreign) });
    expect(await follow(stream(), page())).toEqual({ events: 1, error: expect.objectContaining(foreign) });
  },
);
