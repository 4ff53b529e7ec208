import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { aWord } from "@ci/testkit/builders";
import { constellation, created, type SignedUp } from "@ci/testkit/constellation";
import { notRun } from "@ci/testkit/not-run";
import { receiver } from "@ci/testkit/receiver";
import { hasCurl, type Shell, shellAt } from "@ci/testkit/shell";

const auth = '-H "Authorization: Bearer $TOKEN"';
const disk = Buffer.concat([Buffer.from([0x51, 0x46, 0x49, 0xfb]), Buffer.from("&name=b&+%00")]);
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

if (!hasCurl()) notRun("what curl does by default", "curl is not installed");
else {
  const ci = constellation();
  let ann: SignedUp;
  let sh: Shell;
  beforeAll(async () => {
    ann = await ci.signUp();
    sh = await shellAt(ci, { TOKEN: ann.token });
    await writeFile(join(sh.dir, "disk"), disk);
  });
  afterAll(() => sh[Symbol.asyncDispose]());

  test("curl --data-binary uploads a file as it is", async () => {
    const [object, image] = [aWord(), aWord()];
    const uploaded = JSON.parse(await sh.run(`curl ${auth} --data-binary @disk '${ci.url}/objects?name=${object}'`));
    expect(uploaded).toMatchObject({ name: object, size: disk.length, sha256: sha256(disk) });
    const { content_url } = JSON.parse(
      await sh.run(`curl ${auth} --data-binary @disk '${ci.url}/images?name=${image}'`),
    );
    await sh.run(`curl ${auth} -o same '${content_url}' && cmp disk same`);
  });

  test("curl --data-binary without a name in the query sends fields", async () => {
    const answer = await sh.run(`curl ${auth} -w ' %{http_code}' --data-binary name=a '${ci.url}/objects'`);
    expect(answer).toBe('{"file":["File field required"]} 400');
  });

  test("curl -d has an image downloaded", async () => {
    const headers = { "content-type": "application/x-qemu-disk" };
    await using source = await receiver({ answer: () => ({ status: 200, headers, body: disk }) });
    const fields = `-d name=${aWord()} -d download_url=${source.url}/disk`;
    const image = JSON.parse(await sh.run(`curl ${auth} ${fields} '${ci.url}/images?namespace=curled'`));
    expect(image).toMatchObject({ download: { source: `${source.url}/disk` }, namespace: { path: "curled" } });
  });

  test("curl -OJ saves content under the record's name", async () => {
    const name = `${aWord()}.bin`;
    const object = created(await ann.send("POST", `/objects?name=${name}`, { body: disk }));
    const before = await readdir(sh.dir);
    await sh.run(`curl ${auth} -OJ '${object.content_url}'`);
    expect((await readdir(sh.dir)).filter((file) => !before.includes(file))).toEqual([name]);
    expect(await readFile(join(sh.dir, name))).toEqual(disk);
  });
}
