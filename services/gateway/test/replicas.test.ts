import { type Api, apiAt } from "@ci/testkit/api";
import { made } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";

const names = suite();
let on: Processes;
/** A user at the first gateway and at another one. */
let both: (token: string) => readonly [Api, Api];

beforeAll(async () => {
  on = await startProcesses(names);
  const second = `http://${await on.addReplica("gateway")}`;
  both = (token) => [on.origin, second].map((origin) => apiAt({ publicUrl: on.origin, origin, token })) as never;
});
afterAll(() => on?.[Symbol.asyncDispose]());

async function signUp(username: string) {
  made(await on.api.post("/users", { username, email: `${username}@example.com` }));
  const scope = "build:read namespace:read,write,delete invite:read,write";
  return made(await on.api.post(`/users/${username}/tokens`, { name: "t", scope })) as { id: number; secret: string };
}

it("a token that is deleted at one gateway stops working at the other", async () => {
  const { id, secret } = await signUp("ann");
  const [, there] = both(secret);
  expect((await there.get("/user")).status).toBe(200);
  expect((await on.api.delete(`/tokens/${id}`)).status).toBe(204);
  await eventually(async () => expect((await there.get("/user")).status).toBe(401));
});

it("a revoked permission is gone at every gateway once the answer confirms it", async () => {
  const [owner] = both((await signUp("bob")).secret);
  const [here, there] = both((await signUp("eve")).secret);
  made(await owner.post("/namespaces", { name: "team" }));
  // No runner here serves docker, so the build and its stream wait.
  const manifest = "{namespace: alone, driver: {type: docker, image: x, workspace: /w}}";
  const build = made(await on.api.post("/builds", { manifest }));
  expect((await there.get(build.url)).status).toBe(404);
  await on.api.patch("/n/admin/alone", { visibility: "internal" });
  for (const seen of [here, there]) expect((await seen.get(build.url)).status).toBe(200);
  const following = await here.open("GET", build.output_url, { headers: { Accept: "text/event-stream" } });
  // Listens from here on: the stream may close before the last of the answers below.
  const over = new Promise((closed) =>
    following
      .on("error", () => undefined)
      .on("close", closed)
      .resume(),
  );
  expect((await on.api.patch("/n/admin/alone", { visibility: "private" })).status).toBe(200);
  for (const seen of [here, there]) expect((await seen.get(build.url)).status).toBe(404);
  await over;

  const invite = made(await owner.post("/n/bob/team/-/invites", { handle: "eve" }));
  expect((await here.patch(invite.url)).status).toBe(200);
  for (const seen of [here, there]) expect((await seen.get("/n/bob/team/-/builds")).status).toBe(200);
  expect((await owner.delete("/n/bob/team/-/collaborators/eve")).status).toBe(204);
  for (const seen of [here, there]) expect((await seen.get("/n/bob/team/-/builds")).status).toBe(404);
});

it("a changed namespace is returned as changed by the other gateway", async () => {
  const { secret } = await signUp("kim");
  const [here, there] = both(secret);
  made(await here.post("/namespaces", { name: "shown" }));
  const child = made(await here.post("/namespaces", { parent: "shown", name: "child" }));
  const parent = async () => (await there.get(child.url)).json.parent.description;
  expect(await parent()).toBe("");
  await here.patch("/n/kim/shown", { description: "new" });
  await eventually(async () => expect(await parent()).toBe("new"));
});
