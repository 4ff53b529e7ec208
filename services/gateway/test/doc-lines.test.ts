import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { aBuild } from "@ci/testkit/builders";
import { constellation, created } from "@ci/testkit/constellation";
import { notRun } from "@ci/testkit/not-run";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { hasCurl, type Shell, shellAt } from "@ci/testkit/shell";
import { blocksOf, url } from "./_docs.js";

const root = join(__dirname, "../../..");
const disk = Buffer.from([0x51, 0x46, 0x49, 0xfb, 1, 2, 3]);

if (!hasCurl()) notRun("the shell lines of the pages", "curl is not installed");
else {
  const ci = constellation({ runner: true, settings: { PUBLIC_URL: url } });
  let source: Receiver;
  let sh: Shell;
  beforeAll(async () => {
    const headers = { "content-type": "application/x-qemu-disk" };
    source = await receiver({ answer: () => ({ status: 200, headers, body: disk }) });
    sh = await shellAt({ url, origin: ci.origin }, { URL: url, TOKEN: ci.adminToken, SOURCE: `${source.url}/disk` });
    // What `npm start` runs first.
    created(await ci.admin.post("/builds", aBuild()));
  });
  afterAll(async () => {
    await sh[Symbol.asyncDispose]();
    await source[Symbol.asyncDispose]();
  });
  const saved = (file: string) => readFile(join(sh.dir, file), "utf8");

  // Runs cli/dist/main.js.
  test("the README's lines work in one terminal, one after another", async () => {
    const [, ciLines = "", curlLines = ""] = blocksOf("README.md");
    await symlink(join(root, "cli"), join(sh.dir, "cli"));
    await mkdir(join(sh.dir, "examples"));
    const example = await readFile(join(root, "examples/hello.yml"), "utf8");
    const own = example.replace(/^driver:\n( .*\n)+/m, "driver: {type: os}\n");
    await writeFile(join(sh.dir, "examples/hello.yml"), own);
    const signedIn = ciLines.replace(`ci login ${url}`, `echo $TOKEN | ci login ${ci.origin}`);
    const output = await sh.run(`${signedIn}${curlLines.replace(/^export TOKEN=ci_.*$/m, "")}type ci`);
    // Zsh completes no words of an alias.
    expect(output).toMatch(/^ci is a (shell )?function/m);
    expect(output).toContain("Hello from build number one");
    expect(output).toContain("greeting.txt");
    expect(await saved("greeting.txt")).toContain("Hello");
    expect(output).toContain(`"url":"${url}/b/admin/3"`);
    expect(output).toContain('data: {"status":"passed"}');
    expect(await saved("out.txt")).toBe("hello\n");
  });

  test("the lines about files download and upload what the page says", async () => {
    await sh.run("rm out.txt");
    await writeFile(join(sh.dir, "ca.pem"), "a=b&c");
    await writeFile(join(sh.dir, "debian.qcow2"), disk);
    const [downloads, uploads, forms] = blocksOf("docs/files.md");
    await sh.run(downloads!);
    expect([await saved("out.txt"), await saved("admin-3.log")]).toEqual(["hello\n", expect.stringContaining("hello")]);
    await sh.run(`${uploads}${forms}`);
    const objects = (await ci.admin.get("/objects")).json;
    const images = (await ci.admin.get("/images")).json;
    const sizes = (records: { name: string; size?: number }[]) => records.map(({ name, size }) => [name, size]);
    expect(sizes(objects)).toEqual([
      ["ca.pem", 5],
      ["key.pem", 5],
    ]);
    expect(sizes(images).map(([name]) => name)).toEqual(["debian", "fetched"]);
    expect((await ci.admin.get("/n/admin/team/-/images")).json).toMatchObject([{ name: "debian" }]);
  });
}
