import { once } from "node:events";
import { aBuild } from "@ci/testkit/builders";
import { constellation, made } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const ci = constellation();

test("a stream of a queued build's output says what the build waits for, in comments", async () => {
  const ann = await ci.signUp();
  const driver = { type: "docker", image: "busybox:1", workspace: "/work" };
  const build = made(await ann.post("/builds", aBuild({ driver })));
  expect(build.queue.reason).toBe("no runner for driver");
  /** A stream's text so far, without heartbeats; `whole` resolves at its end. */
  const follow = async (headers = {}) => {
    const response = await ann.open("GET", build.output_url, { headers: { accept: "text/event-stream", ...headers } });
    let text = "";
    response.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    const said = () => text.replaceAll(/^:\n\n/gm, "");
    return { said, whole: once(response, "end").then(said) };
  };
  const comment = ": Waiting: no runner serves the docker driver\n\n";
  const stream = await follow();
  await eventually(() => expect(stream.said()).toBe(comment));
  const resumed = await follow({ "last-event-id": "7" });
  await eventually(() => expect(resumed.said()).toBe(comment));
  const { status, text } = await ann.get(build.output_url);
  expect([status, text]).toEqual([200, ""]);
  expect((await ann.get(build.url)).json).toMatchObject({ output: null, queue: { reason: "no runner for driver" } });
  await ann.delete(build.url);
  for (const { whole } of [stream, resumed])
    expect(await whole).toBe(`${comment}event: end\ndata: {"status":"killed"}\n\n`);
});
