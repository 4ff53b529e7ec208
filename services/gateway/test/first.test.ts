import { constellation } from "@ci/testkit/constellation";
const ci = constellation();
test("root", async () => {
  const t0 = performance.now();
  const got = await ci.as().get("/");
  console.log(got, performance.now() - t0);
  console.log(await ci.admin.get("/user").then((g) => [g.status, g.json]));
  const ann = await ci.signUp("ann");
  console.log(await ann.post("/namespaces", { name: "web" }).then((g) => [g.status, g.json]));
  console.log(await ann.get("/n/ann/web").then((g) => [g.status, g.json]));
  console.log(await ann.get("/tokens").then((g) => [g.status, g.json]));
  console.log(await ann.get("/nope").then((g) => [g.status, g.json, g.headers]));
  console.log(await ann.get("/health").then((g) => [g.status, g.json, g.headers]));
});
