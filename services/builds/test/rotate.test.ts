import { generateKeyPairSync } from "node:crypto";
import { openMongo } from "@ci/kit/mongo/mongo";
import { rotateSecrets } from "@ci/kit/security/rotate";
import { type Build, BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import { QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { RepositoryServiceDefinition } from "@ci/proto/builds/v1/repositories";
import { KeyServiceDefinition } from "@ci/proto/namespaces/v1/resources";
import { connect } from "@ci/testkit/identities";
import { keysNamedIn, rotation } from "@ci/testkit/keys";
import { leased } from "@ci/testkit/leased";
import { start } from "../src/service.js";
import { sealedFields } from "../src/store/encrypted-fields.js";
import { bootBuilds, configOf, fault } from "./_suite.js";

const suite = bootBuilds({ keyring: rotation.before });
const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }) as string;
const manifest = "{driver: {type: os}, env: [C=3], stages: [a], jobs: [{stage: a, commands: [b]}]}";

/** Starts another builds service on the same database. */
async function startService(keyring: typeof rotation.before) {
  const service = await start(configOf(suite.names, suite.accounts.address, { keyring }));
  const peer = connect(`127.0.0.1:${service.port}`);
  return {
    builds: peer.client(BuildServiceDefinition),
    queue: leased(peer.client(QueueServiceDefinition)),
    repositories: peer.client(RepositoryServiceDefinition),
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** Claims one build and finishes all of its jobs. */
async function runOne(queue: Awaited<ReturnType<typeof startService>>["queue"]): Promise<void> {
  const { assignment } = await queue.claimBuild({ runnerId: "r", drivers: ["os"] });
  const { buildId, epoch, jobs } = assignment!;
  for (const { id: jobId } of jobs)
    await queue.finishJob({ buildId, epoch, jobId, outcome: "passed", text: "", offset: 0, placedObjectIds: [] });
}

test("the secrets of builds are re-encrypted while builds run, and open with the new key alone", async () => {
  const { ann } = suite.users;
  for (const key of ["A", "B"])
    await suite.as(ann, () =>
      suite.accounts.variables.createVariable({ key, value: `value of ${key}`, mask: key === "A", namespace: "" }),
    );
  await using peer = connect(suite.accounts.address);
  const key = { name: "id", privateKey, config: "", namespace: "" };
  await suite.as(ann, () => peer.client(KeyServiceDefinition).createKey(key));
  const builds: Build[] = [];
  for (let nth = 0; nth < 6; nth++) builds.push(await suite.submit(ann, manifest));

  await using mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
  const collection = mongo.db.collection<{ _id: number }>("builds");
  const all = () => collection.find({ _id: { $gt: 0 } }).toArray();
  expect(keysNamedIn(JSON.stringify(await all()))).toEqual(["old"]);
  const rotate = () => rotateSecrets(mongo.db, rotation.during, sealedFields);
  {
    await using during = await startService(rotation.during);
    const runs = Promise.all([1, 2, 3, 4, 5].map(() => runOne(during.queue)));
    expect(await rotate()).toEqual({ renewed: 6 * 4, left: new Map() });
    await runs;
  }
  expect(await rotate()).toEqual({ renewed: 0, left: new Map() });
  const docs = await all();
  expect(keysNamedIn(JSON.stringify(docs))).toEqual(["new"]);
  expect(docs.map((doc) => (doc as unknown as Build).status).sort()).toEqual([...Array(5).fill("passed"), "queued"]);

  await using after = await startService(rotation.after);
  const ref = { userId: ann.id, number: builds[0]!.number };
  const { variables } = await suite.as(ann, () =>
    after.builds.listBuildVariables({ ref, search: "", page: undefined }),
  );
  expect(variables.map(({ value }) => value)).toEqual(["xxxxxx", "value of B", "3"]);
  const { assignment } = await after.queue.claimBuild({ runnerId: "r", drivers: ["os"] });
  expect(assignment!.variables.map(({ value }) => value)).toEqual(["value of A", "value of B", "3"]);
  expect(assignment!.keys).toMatchObject([{ name: "id", privateKey }]);
});

test("the secrets of repositories are re-encrypted and open with the new key alone", async () => {
  const { ann } = suite.users;
  const { id: namespaceId } = await suite.accounts.aNamespace(ann, "hooked");
  const fields = { namespaceId, provider: "gitlab", url: "https://gitlab.com/octo/hello.git", secret: "hush" };
  const add = (accessToken?: string) =>
    suite.as(ann, () => suite.repositories.createRepository({ ...fields, accessToken }));
  const { repository } = await add("t0ken");
  await add();
  await using mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
  const rotated = sealedFields.filter(({ collection }) => collection === "repositories");
  expect(await rotateSecrets(mongo.db, rotation.during, rotated)).toEqual({ renewed: 3, left: new Map() });
  await using after = await startService(rotation.after);
  const request = { provider: "gitlab", id: repository!.id, body: Buffer.from("{}") };
  const receive = (token: string) =>
    after.repositories.receiveHook({ ...request, headers: { "x-gitlab-token": token } });
  expect(await receive("hush")).toEqual({ builds: [] });
  expect(await fault(receive("other"))).toMatchObject({ code: "not_found" });
});
