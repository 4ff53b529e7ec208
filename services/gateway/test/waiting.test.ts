import { once } from "node:events";
import { aBuild } from "@ci/testkit/builders";
import { constellation, created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const ci = constellation();

test("the output stream of a queued build says in comments what the build waits for", async () => {
  const ann = await ci.signUp();
  const driver = { type: "docker", image: "busybox:1", workspace: "/work" };
  const build = created(await ann.post("/builds", aBuild({ driver })));
  expect(build.queue.reason).toBe("no runner for driver");
  /** Opens a stream. `text` returns its text so far without heartbeats; `completeText` resolves at its end. */
  const follow = async (headers = {}) => {
    const response = await ann.open("GET", build.output_url, { headers: { accept: "text/event-stream", ...headers } });
    let text = "";
    response.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    const withoutHeartbeats = () => text.replaceAll(/^:\n\n/gm, "");
    return { text: withoutHeartbeats, completeText: once(response, "end").then(withoutHeartbeats) };
  };
  const comment = ": Waiting: no runner serves the docker driver\n\n";
  const stream = await follow();
  await eventually(() => expect(stream.text()).toBe(comment));
  const resumed = await follow({ "last-event-id": "7" });
  await eventually(() => expect(resumed.text()).toBe(comment));
  const { status, text } = await ann.get(build.output_url);
  expect([status, text]).toEqual([200, ""]);
  expect((await ann.get(build.url)).json).toMatchObject({ output: null, queue: { reason: "no runner for driver" } });
  await ann.delete(build.url);
  for (const { completeText } of [stream, resumed])
    expect(await completeText).toBe(`${comment}event: end\ndata: {"status":"killed"}\n\n`);
});
