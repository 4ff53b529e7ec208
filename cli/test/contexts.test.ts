// Runs the built binary, cli/dist/main.js.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constellation, type SignedUp } from "@ci/testkit/constellation";
import { Ci } from "./_ci.js";

const ci = constellation();
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

const address = () => `${ci.origin}/api`;

test("login remembers a server and its user, and logout forgets them", async () => {
  using user = new Ci();
  const host = new URL(ci.origin).host;
  expect(await user.run(["login", address()], { input: `${ann.token}\n` })).toEqual({
    ...{ code: 0, stdout: `Signed in to ${address()} as ${ann.username}\n`, stderr: "" },
  });
  const file = join(user.home, "service-ci/contexts.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8")).contexts[host]).toMatchObject({ public_url: ci.url });
  expect(await user.out("whoami", "-q")).toBe(`${ann.username}\n`);
  expect(await user.json("whoami")).toMatchObject({ id: ann.id, admin: false });
  await user.out("login", address(), "--token", ci.adminToken, "--name", "admin");
  expect(await user.out("context", "list")).toBe(
    `${host}\t${address()}\t${ann.username}\tno\nadmin\t${address()}\tadmin\tyes\n`,
  );
  expect(await user.out("whoami", "-q", "--context", host)).toBe(`${ann.username}\n`);
  await user.out("contexts", "use", host);
  expect(await user.out("whoami", "-q")).toBe(`${ann.username}\n`);
  await user.out("logout");
  const { code, stderr } = await user.run(["whoami"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("ci login SERVER")]);
});

test("login keeps the context of another server on the same host", async () => {
  using user = new Ci();
  const { host } = new URL(ci.origin);
  await user.out("login", address(), "--token", ann.token);
  const file = join(user.home, "service-ci/contexts.json");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(address(), `${ci.origin}/other`));
  for (const _ of ["first", "again"]) {
    await user.out("login", address(), "--token", ci.adminToken);
    expect(await user.out("context", "list")).toBe(
      `${host}\t${ci.origin}/other\t${ann.username}\tno\n${host}/api\t${address()}\tadmin\tyes\n`,
    );
  }
});

test("the environment takes the place of a context", async () => {
  using user = new Ci();
  const env = { CI_SERVER: `${address()}/`, CI_TOKEN: ann.token };
  expect(await user.run(["whoami", "-q"], { env })).toMatchObject({ code: 0, stdout: `${ann.username}\n` });
});

test("a wrong token, a wrong path and a server that is away are told apart", async () => {
  using user = new Ci();
  expect(await user.run(["login", address()], { input: "ci_wrong" })).toEqual({
    ...{ code: 2, stdout: "", stderr: `${address()} does not accept this token\n` },
  });
  for (const wrong of [`${ci.origin}/elsewhere`, `${address()}/builds`])
    expect(await user.run(["login", wrong], { input: ann.token })).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining("is not Service CI") },
    });
  const away = await user.run(["login", "http://127.0.0.1:1"], { input: ann.token });
  const unreached = { code: 1, stdout: "", stderr: expect.stringContaining("The server cannot be reached: ") };
  expect(away).toEqual(unreached);
  const nowhere = { CI_SERVER: "http://127.0.0.1:1", CI_TOKEN: ann.token };
  for (const words of ["logs -f ann/12", "events -f"])
    expect(await user.run(words.split(" "), { env: nowhere })).toEqual(unreached);
  const env = { CI_SERVER: address(), CI_TOKEN: "ci_wrong" };
  expect(await user.run(["list"], { env })).toMatchObject({ code: 2, stderr: expect.stringContaining("ci login") });
});

test("a wrong word exits with 2 and names the command that was probably meant", async () => {
  using user = new Ci();
  expect(await user.run(["log"])).toEqual({
    code: 2,
    stdout: "",
    stderr: 'unknown command "log", did you mean "logs"?\n',
  });
  const { version } = JSON.parse(readFileSync(join(__dirname, "../package.json"), "utf8"));
  expect(await user.out("--version")).toBe(`${version}\n`);
});
