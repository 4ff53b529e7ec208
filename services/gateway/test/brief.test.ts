import { aManifest, aWord } from "@ci/testkit/builders";
import { constellation, created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";

const ci = constellation({ runner: true });

test("a brief list of builds has no output, and all else", async () => {
  const ann = await ci.signUp();
  const namespace = aWord("ns");
  const name = aWord("object");
  const object = created(
    await ann.send("POST", `/objects?name=${name}&namespace=${namespace}`, { body: Buffer.from("x") }),
  );
  const jobs = [{ stage: "test", commands: ["echo printed"] }];
  const manifest = aManifest({ namespace, objects: [`${name} => file`], jobs });
  const cron = created(await ann.post("/cron", { name: aWord("cron"), manifest, schedule: "monthly" }));
  const build = created(await ann.post(`${cron.url}/run`));
  await eventually(async () => expect((await ann.get(build.url)).json.status).toBe("passed"));
  const lists = ["/builds", `/n/${ann.username}/${namespace}/-/builds`, object.builds_url, `${cron.url}/builds`];
  for (const list of lists) {
    const [whole, brief] = await Promise.all([ann.get(list), ann.get(`${list}?brief=true`)]);
    expect(whole.json).toEqual([expect.objectContaining({ output: expect.stringContaining("printed\n") })]);
    expect(brief.json).toEqual([{ ...whole.json[0], output: null }]);
    expect((await ann.get(`${list}?brief=false`)).json).toEqual(whole.json);
  }
  expect((await ann.get("/builds?brief=yes")).json).toEqual({
    brief: [expect.stringContaining("must be true or false")],
  });
});
