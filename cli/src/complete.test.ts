import { completionsOf } from "./complete.js";
import { names } from "./table.js";

const complete = (...words: string[]) => completionsOf(names, words);

test("commands, their second words, options and choices are completed", () => {
  expect(complete("lo")).toEqual(["login", "logout", "logs"]);
  expect(complete("webhooks", "re")).toEqual(["redeliver", "retry", "replay"]);
  expect(complete("context", "")).toEqual(["list", "use", "remove"]);
  expect(complete("contexts", "u")).toEqual(["use"]);
  expect(complete("submit", "--fo")).toEqual(["--follow"]);
  expect(complete("list", "--status", "pass")).toEqual(["passed", "passed_with_failures"]);
  expect(complete("--json", "webhooks", "update", "4", "--ssl", "")).toEqual(["true", "false"]);
  expect(complete("webhooks", "create", "http://a", "--fi")).toEqual(["--filter"]);
  expect(complete("completion", "z")).toEqual(["zsh"]);
  expect(complete("repos", "create", "git")).toEqual(["github", "gitlab", "gitea"]);
});

test("values that only the user knows are left to the shell", () => {
  expect(complete("submit", "")).toEqual([]);
  expect(complete("submit", "--comment", "")).toEqual([]);
  expect(complete("nonsense", "")).toEqual([]);
});

test("a value of an option is not taken for a command", () => {
  expect(complete("--context", "list", "lo")).toEqual(["login", "logout", "logs"]);
});

test("hidden commands are not offered", () => {
  expect(complete("_")).toEqual([]);
  expect(complete("")).toContain("submit");
});
