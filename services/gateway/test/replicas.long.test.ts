import { type Api, apiAt } from "@ci/testkit/api";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";

const names = suite();
let ci: Processes;
/** Returns the API of a token at both gateways. */
let atBothGateways: (token?: string) => readonly [Api, Api];

beforeAll(async () => {
  ci = await startProcesses(names);
  const secondOrigin = `http://${await ci.addReplica("gateway")}`;
  atBothGateways = (token) =>
    [ci.origin, secondOrigin].map((origin) => apiAt({ publicUrl: ci.origin, origin, token })) as never;
});
afterAll(() => ci?.[Symbol.asyncDispose]());

async function signUp(username: string) {
  created(await ci.api.post("/users", { username, email: `${username}@example.com` }));
  const scope = "build:read namespace:read,write,delete invite:read,write";
  return created(await ci.api.post(`/users/${username}/tokens`, { name: "t", scope })) as {
    id: number;
    secret: string;
  };
}

it("a token or user that is deleted at one gateway has ended at the other", async () => {
  for (let nth = 0; nth < 5; nth++) {
    const username = `ann${nth}`;
    const { id, secret } = await signUp(username);
    const [, secondGateway] = atBothGateways(secret);
    expect((await secondGateway.get("/user")).status).toBe(200);
    expect((await ci.api.delete(`/tokens/${id}`)).status).toBe(204);
    expect((await secondGateway.get("/user")).status).toBe(401);

    const other = created(await ci.api.post(`/users/${username}/tokens`, { name: "u", scope: "build:read" }));
    const [, again] = atBothGateways(other.secret);
    expect((await again.get("/user")).status).toBe(200);
    expect((await ci.api.delete(`/users/${username}`)).status).toBe(204);
    expect((await again.get("/user")).status).toBe(401);
  }
});

it("a session that is closed at one gateway has ended at the other", async () => {
  const { secret } = await signUp("kay");
  const [firstGateway, secondGateway] = atBothGateways();
  const { origin } = new URL(ci.origin);
  for (let nth = 0; nth < 5; nth++) {
    const opened = await firstGateway.post("/session", { token: secret });
    const cookie = opened.headers["set-cookie"]!.toString().split(";")[0]!;
    expect((await secondGateway.get("/user", { cookie })).status).toBe(200);
    expect((await firstGateway.send("DELETE", "/session", { headers: { cookie, origin } })).status).toBe(204);
    expect((await secondGateway.get("/user", { cookie })).status).toBe(401);
  }
});

it("a revoked permission has ended at every gateway once the response confirms it", async () => {
  const [owner] = atBothGateways((await signUp("bob")).secret);
  const [firstGateway, secondGateway] = atBothGateways((await signUp("eve")).secret);
  created(await owner.post("/namespaces", { name: "team" }));
  // No runner serves docker, so the build stays queued and its stream open.
  const manifest = "{namespace: alone, driver: {type: docker, image: x, workspace: /w}}";
  const build = created(await ci.api.post("/builds", { manifest }));
  expect((await secondGateway.get(build.url)).status).toBe(404);
  await ci.api.patch("/n/admin/alone", { visibility: "internal" });
  for (const gateway of [firstGateway, secondGateway]) expect((await gateway.get(build.url)).status).toBe(200);
  const stream = await firstGateway.open("GET", build.output_url, { headers: { Accept: "text/event-stream" } });
  // Listens from now on, because the stream may close before the last response below.
  const streamClosed = new Promise((closed) =>
    stream
      .on("error", () => undefined)
      .on("close", closed)
      .resume(),
  );
  expect((await ci.api.patch("/n/admin/alone", { visibility: "private" })).status).toBe(200);
  for (const gateway of [firstGateway, secondGateway]) expect((await gateway.get(build.url)).status).toBe(404);
  await streamClosed;

  const invite = created(await owner.post("/n/bob/team/-/invites", { handle: "eve" }));
  expect((await firstGateway.patch(invite.url)).status).toBe(200);
  for (const gateway of [firstGateway, secondGateway])
    expect((await gateway.get("/n/bob/team/-/builds")).status).toBe(200);
  expect((await owner.delete("/n/bob/team/-/collaborators/eve")).status).toBe(204);
  for (const gateway of [firstGateway, secondGateway])
    expect((await gateway.get("/n/bob/team/-/builds")).status).toBe(404);
});

it("the other gateway returns a namespace's change", async () => {
  const { secret } = await signUp("kim");
  const [firstGateway, secondGateway] = atBothGateways(secret);
  created(await firstGateway.post("/namespaces", { name: "shown" }));
  const child = created(await firstGateway.post("/namespaces", { parent: "shown", name: "child" }));
  const parent = async () => (await secondGateway.get(child.url)).json.parent.description;
  expect(await parent()).toBe("");
  await firstGateway.patch("/n/kim/shown", { description: "new" });
  await eventually(async () => expect(await parent()).toBe("new"));
});
