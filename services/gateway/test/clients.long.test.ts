import { copyFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aManifest } from "@ci/testkit/builders";
import { constellation } from "@ci/testkit/constellation";
import { notRun } from "@ci/testkit/not-run";
import { hasPython, installPython, installTypeScript, run } from "./_generators.js";

const ci = constellation();
const sources = join(__dirname, "clients");

/** Creates a folder with openapi.json and a program that submits a build with the arguments. */
async function workspace(program: string) {
  const dir = await mkdtemp(join(tmpdir(), "ci-client-"));
  await writeFile(join(dir, "openapi.json"), (await ci.as().get("/openapi.json")).text);
  await copyFile(join(sources, program), join(dir, program));
  const ann = await ci.signUp();
  const args = [`${ci.origin}${new URL(ci.url).pathname}`, ann.token, aManifest()];
  return { dir, ann, args, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

const submitted = { id: expect.any(Number), comment: "generated", status: "queued" };

test("types from openapi-typescript compile, and a client that uses them submits a build", async () => {
  const { dir, ann, args, ...folder } = await workspace("submit.ts");
  await using _ = folder;
  const modules = join(await installTypeScript(), "node_modules");
  await symlink(modules, join(dir, "node_modules"));
  const bin = join(modules, ".bin");
  await run(join(bin, "openapi-typescript"), ["openapi.json", "-o", "schema.d.ts"], dir);
  const options = ["--strict", "--module", "node16", "--target", "es2022", "--lib", "es2022,dom", "--types", "node"];
  await run(join(bin, "tsc"), [...options, "submit.ts"], dir);
  const build = JSON.parse(await run(process.execPath, ["submit.js", ...args], dir));
  expect(build).toEqual(submitted);
  expect((await ann.get("/builds")).json).toEqual([expect.objectContaining({ id: build.id })]);
});

if (hasPython())
  test("a client from openapi-python-client submits a build", async () => {
    const { dir, ann, args, ...folder } = await workspace("submit.py");
    await using _ = folder;
    const bin = await installPython();
    const options = ["generate", "--path", "openapi.json", "--meta", "none", "--output-path", "ci_client"];
    await run(join(bin, "openapi-python-client"), options, dir);
    const build = JSON.parse(await run(join(bin, "python"), ["submit.py", ...args], dir));
    expect(build).toEqual(submitted);
    expect((await ann.get("/builds")).json).toEqual([expect.objectContaining({ id: build.id })]);
  });
else notRun("a client from openapi-python-client submits a build", "Python 3.10 or later with venv is missing");
