import { openMongo } from "@ci/kit/mongo/mongo";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { suite } from "@ci/testkit/suite";
import { budgets, type Operation } from "./_budgets.js";
import { beyond, startCounted } from "./_counted.js";

// Counts instead of times: a busy machine changes none of them.
const names = suite();
let counted: Awaited<ReturnType<typeof startCounted>>;
let mongo: Awaited<ReturnType<typeof openMongo>>;
let hook: Receiver;

const os = "driver: {type: os}, stages: [s], jobs: [{stage: s, commands: ['true']}]";
/** No runner serves docker, so these builds stay queued. */
const docker = "driver: {type: docker, image: x, workspace: /w}";

beforeAll(async () => {
  [counted, hook] = await Promise.all([startCounted(names), receiver()]);
  mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_builds`);
});
afterAll(async () => {
  await counted?.[Symbol.asyncDispose]();
  await mongo?.[Symbol.asyncDispose]();
  await hook?.[Symbol.asyncDispose]();
});

const submit = async (fields: string) => created(await counted.ci.api.post("/builds", { manifest: `{${fields}}` }));

/** Submits a build and waits for its end, without calls that would count. */
async function run(fields = os) {
  const build = await submit(fields);
  await eventually(async () => {
    const found = await mongo.db.collection<{ _id: number; status: string }>("builds").findOne({ _id: build.id });
    expect(found?.status).toBe("passed");
  });
  return build;
}

async function expectWithin(operation: Operation, work: () => Promise<unknown>): Promise<void> {
  const { cost, names } = await counted.cost(work);
  const exceeded = beyond(budgets[operation], cost);
  expect({ operation, exceeded, names: exceeded.length > 0 ? names : {} }).toEqual({
    operation,
    exceeded: [],
    names: {},
  });
  if (process.env.SHOW_COSTS) console.log(operation, JSON.stringify(cost), JSON.stringify(names));
}

const get = async (path: string) => expect((await counted.ci.api.get(path)).status).toBe(200);

async function watch(path: string): Promise<void> {
  const response = await counted.ci.api.open("GET", path, { headers: { Accept: "text/event-stream" } });
  expect(response.statusCode).toBe(200);
  for await (const _ of response);
}

it("each operation stays within its budget", async () => {
  const build = await run();
  for (let n = 0; n < 25; n++) await run();
  await expectWithin("GET /b/:user/:number, finished", () => get(build.url));
  await expectWithin("GET /b/:user/:number/output as a stream, finished", () => watch(`${build.url}/output`));
  await expectWithin("GET /builds, 25 finished", () => get("/builds"));
  await expectWithin("a build of the os driver, from POST to passed", () => run());

  const { url, namespace } = await run(`namespace: team, ${os}`);
  const events = ["build.pinned", "build.unpinned"];
  created(await counted.ci.api.post(`${namespace.url}/-/webhooks`, { payload_url: hook.url, events }));
  let pins = 0;
  await expectWithin("a pinned build, from PATCH to the delivery at one webhook", async () => {
    expect((await counted.ci.api.patch(`${url}/${pins++ % 2 === 0 ? "pin" : "unpin"}`)).status).toBe(200);
    await eventually(() => expect(hook.requests).toHaveLength(pins));
  });

  await Promise.all(Array.from({ length: 25 }, (_, n) => run(`namespace: n${n}, ${os}`)));
  await expectWithin("GET /namespaces, 25 with builds", () => get("/namespaces"));

  for (let n = 0; n < 25; n++) await submit(docker);
  await expectWithin("GET /builds, 25 queued", () => get("/builds"));
  await expectWithin("POST /builds", () => submit(docker));
});
