// Runs the built binary, cli/dist/main.js.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { partialOf } from "../src/download-target.js";
import { Ci, manifestOf } from "./_ci.js";

const ci = constellation({ runner: true });
const artifacts = ["big.bin", "notes.txt => docs/notes.txt", "missing"];
const commands = ["head -c 300000 /dev/urandom > big.bin", "echo hello > notes.txt"];
let ann: SignedUp;
let user: Ci;
beforeAll(async () => {
  ann = await ci.signUp();
  user = new Ci();
  await user.run(["login", `${ci.origin}/api`], { input: ann.token });
  await user.run(["submit", "-", "-f"], { input: manifestOf(commands, {}, { artifacts }) });
});
afterAll(() => user[Symbol.dispose]());

const into = (name: string) => join(user.folder, name);

test("artifacts are listed and downloaded with their folders", async () => {
  expect(await user.out("artifacts", "list")).toMatch(/^big\.bin\t300000\ttest\.1\t[0-9a-f]{64}$/m);
  expect(await user.out("artifacts", "download", "last", "-C", into("all"))).toBe(
    `${into("all")}/big.bin\n${into("all")}/docs/notes.txt\n`,
  );
  expect(readFileSync(into("all/docs/notes.txt"), "utf8")).toBe("hello\n");
  expect(await user.run(["artifacts", "download", "last", "docs/notes.txt", "-C", into("all")])).toEqual({
    ...{ code: 0, stdout: "", stderr: `${into("all")}/docs/notes.txt already exists\n` },
  });
});

test("a partial download is continued, and verified", async () => {
  await user.out("artifacts", "download", "last", "big.bin", "-C", into("part"));
  const whole = readFileSync(into("part/big.bin"));
  mkdirSync(into("resumed"));
  const [sha256] = /[0-9a-f]{64}/.exec(await user.out("artifacts", "list", "last"))!;
  const partialIn = (folder: string) => partialOf(into(`${folder}/big.bin`), { path: "", sha256 });
  const partial = partialIn("resumed");
  writeFileSync(partial, whole);
  truncateSync(partial, 100_000);
  await user.out("artifacts", "download", "last", "big.bin", "-C", into("resumed"));
  expect(readFileSync(into("resumed/big.bin")).equals(whole)).toBe(true);
  expect(existsSync(partial)).toBe(false);
  // Only the rest is requested, so a wrong beginning stays and is noticed.
  mkdirSync(into("damaged"));
  writeFileSync(partialIn("damaged"), Buffer.alloc(100_000));
  const noticed = await user.run(["artifacts", "download", "last", "big.bin", "-C", into("damaged")]);
  expect(noticed).toMatchObject({ code: 1, stderr: expect.stringContaining("has a wrong hash") });
  expect(readdirSync(into("damaged"))).toEqual([]);
});

test("a file that differs is replaced only by force", async () => {
  mkdirSync(into("other/docs"), { recursive: true });
  writeFileSync(into("other/docs/notes.txt"), "mine");
  const words = ["artifacts", "download", "last", "docs/notes.txt", "-C", into("other")];
  expect(await user.run(words)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Use --force to replace it"),
  });
  expect(readFileSync(into("other/docs/notes.txt"), "utf8")).toBe("mine");
  await user.out(...words, "--force");
  expect(readFileSync(into("other/docs/notes.txt"), "utf8")).toBe("hello\n");
});

test("nothing is written through a link out of the folder", async () => {
  mkdirSync(into("outside"));
  mkdirSync(into("linked"));
  symlinkSync(into("outside"), into("linked/docs"));
  const refused = await user.run(["artifacts", "download", "last", "-C", into("linked")]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("docs is not a folder") });
  expect(existsSync(into("outside/notes.txt"))).toBe(false);
  expect(existsSync(into("linked/big.bin"))).toBe(true);
});

test("an artifact that does not exist, or has no content, is named", async () => {
  expect(await user.run(["artifacts", "download", "last", "nothing"])).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('has no artifact "nothing"') },
  });
  expect(await user.run(["artifacts", "download", "last", "missing"])).toMatchObject({
    ...{ code: 1, stderr: expect.stringContaining('"missing" has no content') },
  });
});
