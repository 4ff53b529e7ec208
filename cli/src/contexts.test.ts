import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contextNamed, fileOf, readContexts, writeContexts } from "./contexts.js";
import { UsageError } from "./exit.js";
import { targetOf } from "./session.js";

const work = { server: "https://ci.example.com", public_url: "https://ci.example.com", username: "ann", token: "ci_w" };
const home = { server: "http://127.0.0.1:8080/ci", public_url: "http://ci.test", username: "bob", token: "ci_h" };
const contexts = { current: "work", contexts: { work, home } };

let folder: string;
let io: { env: Record<string, string> };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ci-contexts-"));
  io = { env: { XDG_CONFIG_HOME: folder } };
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test("only the user can read the contexts", async () => {
  await writeContexts(io, contexts);
  await chmod(join(folder, "service-ci"), 0o755);
  await chmod(fileOf(io), 0o644);
  await writeContexts(io, contexts);
  expect(await modeOf(join(folder, "service-ci"))).toBe(0o700);
  expect(await modeOf(fileOf(io))).toBe(0o600);
  expect(await readdir(join(folder, "service-ci"))).toEqual(["contexts.json"]);
  expect(await readContexts(io)).toEqual(contexts);
});

test("without XDG_CONFIG_HOME the contexts are in ~/.config", () => {
  expect(fileOf({ env: { HOME: "/home/ann" } })).toBe("/home/ann/.config/service-ci/contexts.json");
  expect(fileOf({ env: { HOME: "/home/ann", XDG_CONFIG_HOME: "relative" } })).toMatch(/^\/home\/ann\/\.config/);
});

test("no file means no contexts, and a damaged one is named", async () => {
  expect(await readContexts(io)).toEqual({ contexts: {} });
  await writeContexts(io, contexts);
  for (const text of ["{", "[]", '{"contexts":{"a":{"server":"x"}}}']) {
    await writeFile(fileOf(io), text);
    await expect(readContexts(io)).rejects.toThrow(`${fileOf(io)} is damaged`);
  }
});

test("an unknown context is refused with the known ones", () => {
  expect(() => contextNamed(contexts, "wrok")).toThrow('There is no context "wrok". Known contexts: work, home');
  expect(() => contextNamed({ contexts: {} }, "work")).toThrow("`ci login` creates one");
  expect(() => contextNamed(contexts, "constructor")).toThrow("There is no context");
});

describe("the server and the token", () => {
  const target = (options = {}, env = {}) => targetOf({ options, env }, contexts);

  test("options come before the environment, and that before the current context", () => {
    expect(target()).toMatchObject({ server: work.server, token: "ci_w" });
    expect(target({}, { CI_TOKEN: "ci_e" })).toMatchObject({ server: work.server, token: "ci_e" });
    const env = { CI_SERVER: "https://other.example.com/", CI_TOKEN: "ci_e" };
    expect(target({}, env)).toMatchObject({ server: "https://other.example.com", token: "ci_e" });
    expect(target({ context: "home" }, env)).toMatchObject({ server: home.server, token: "ci_h" });
    expect(target({ server: work.server, token: "ci_o" }, env)).toMatchObject({ server: work.server, token: "ci_o" });
  });

  test.each([
    [{ CI_TOKEN: "ci_one\nci_two" }, {}, "in CI_TOKEN"],
    [{ CI_TOKEN: "“ci_one”" }, {}, "in CI_TOKEN"],
    [{}, { token: "ci_one " }, "of the option --token"],
    [{ XDG_CONFIG_HOME: "/conf" }, { context: "bad" }, 'of the context "bad" in /conf/service-ci/contexts.json'],
  ])("a token of a wrong form is refused, with its place and without its text: %j %j", (env, options, place) => {
    const bad = { ...home, token: "ci_one\rci_two" };
    const act = () => targetOf({ options, env }, { ...contexts, contexts: { ...contexts.contexts, bad } });
    expect(act).toThrow(UsageError);
    expect(act).toThrow(`The token ${place} is not one word`);
    expect(act).not.toThrow("ci_");
  });

  test("an empty token is refused as such", () => {
    expect(() => target({ token: "" })).toThrow(
      new UsageError("The token of the option --token is empty. Copy it again"),
    );
  });

  test("a token goes only to the server that it was given for", () => {
    const noToken = "There is no token for https://new.example.com. Sign in with `ci login https://new.example.com`";
    expect(() => target({ server: "https://new.example.com" })).toThrow(noToken);
    expect(() => target({}, { CI_SERVER: "https://new.example.com" })).toThrow(noToken);
    const env = { CI_SERVER: "https://other.example.com", CI_TOKEN: "ci_e" };
    expect(() => target({ server: "https://new.example.com" }, env)).toThrow(noToken);
    expect(target({ server: `${home.server}/` }, env)).toMatchObject({ token: "ci_h", context: home });
  });

  test("a CI_SERVER that is no address matters only if it is chosen", () => {
    const env = { CI_SERVER: "yes", CI_TOKEN: "ci_e" };
    expect(target({ context: "home" }, env)).toMatchObject({ server: home.server, token: "ci_h" });
    expect(target({ server: work.server }, env)).toMatchObject({ server: work.server, token: "ci_w" });
    expect(target({ server: "https://new.example.com", token: "ci_o" }, env)).toMatchObject({ token: "ci_o" });
    expect(() => target({ server: "https://new.example.com" }, env)).toThrow("There is no token");
    expect(() => target({}, env)).toThrow('CI_SERVER: "yes" is not the address of a server');
  });

  test("without a server the way to sign in is named", () => {
    expect(() => targetOf({ options: {}, env: {} }, { contexts: {} })).toThrow("Sign in with `ci login SERVER`");
  });

  test.each([
    "ci.example.com",
    "ftp://ci.example.com",
    "https://ann:secret@ci.example.com",
    "https://ci.example.com?a",
  ])("%s is no address of a server", (server) =>
    expect(() => target({ server })).toThrow("is not the address of a server"),
  );
});
