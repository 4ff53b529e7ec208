import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import { type Received, receiver } from "@ci/testkit/receiver";
import { Webhook as Verifier } from "standardwebhooks";
import { aBuild, bootWebhooks } from "./_suite.js";
import { canRun, examples, languages, type Vector, verdicts } from "./_verifiers.js";

const ci = bootWebhooks();
const read = (file: string) => readFileSync(join(examples, file), "utf8");
const vectors = JSON.parse(read("vectors.json")) as Vector[];

/** Returns a received request as a test vector for this secret. */
const asVector = ({ headers, body, at }: Received, secret: string, valid: boolean, name: string): Vector => ({
  name,
  valid,
  secret,
  now: at.getTime() / 1_000,
  headers: headers as Record<string, string>,
  body: body.toString(),
});

const inWholeSeconds = ({ now, ...vector }: Vector): Vector => ({ ...vector, now: Math.floor(now) });

/** Returns real requests from before and after a change of the secret. */
async function realVectors(): Promise<Vector[]> {
  await using inbox = await receiver();
  const namespace = await ci.aNamespace();
  const { id } = await ci.aWebhook(namespace, inbox.url, { secret: "first sécret" });
  const request = { namespaceId: namespace.id, id, removeSecret: false };
  const send = async (count: number) => {
    await ci.publishBuild("build.started", aBuild(namespace.id, { manifest: `# grün ${count}\n` }));
    await ci.settled({ id, namespaceId: namespace.id } as never, count);
    return inbox.requests[count - 1]!;
  };
  const before = await send(1);
  await ci.as(ci.users.ann, () => ci.webhooks.updateWebhook({ ...request, secret: "second sécret" }));
  const after = await send(2);
  return [
    asVector(before, "first sécret", true, "a delivery"),
    asVector(before, "second sécret", false, "a delivery, a later secret"),
    asVector(after, "second sécret", true, "a delivery after a change"),
    asVector(after, "first sécret", true, "a delivery after a change, the earlier secret"),
    asVector(after, "third sécret", false, "a delivery, another secret"),
    { ...asVector(after, "second sécret", false, "a delivery, tampered with"), body: `${after.body} ` },
  ];
}

let real: Vector[];
beforeAll(async () => {
  real = (await realVectors()).map(inWholeSeconds);
});

const named = (all: readonly Vector[], valid: readonly boolean[]) => all.map(({ name }, nth) => [name, valid[nth]]);
const expected = (all: readonly Vector[]) => all.map(({ name, valid }) => [name, valid]);

describe.each(Object.entries(languages))("the verifier in %s", (name, language) => {
  test("has at most fifteen lines", () => {
    const lines = read(language.file)
      .split("\n")
      .filter((line) => !language.preamble.test(line));
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.length).toBeLessThanOrEqual(15);
  });

  if (!canRun(language)) return notRun(`the verifier in ${name}`, `no ${language.probe[0]} on this machine`);
  test("accepts signed requests and nothing else", async () => {
    const all = [...vectors, ...real];
    expect(named(all, await verdicts(language, all))).toEqual(expected(all));
  });
});

test("the Standard Webhooks library agrees about real requests", () => {
  const accepts = ({ body, headers, secret }: Vector): boolean => {
    try {
      new Verifier(Buffer.from(secret).toString("base64")).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  };
  expect(named(real, real.map(accepts))).toEqual(expected(real));
});
