import { ioOf } from "../test/_io.js";
import { loaders } from "./loaders.js";
import { operations } from "./operations/index.js";
import { type Parsed, programOf } from "./program.js";
import { run } from "./run.js";
import { groups, headings, names, table } from "./table.js";

async function parse(...words: string[]): Promise<Parsed | undefined> {
  let parsed: Parsed | undefined;
  const streams = { version: "1", out: () => {}, err: () => {} };
  const program = programOf(names, streams, async (given) => {
    parsed = given;
  });
  await program.parseAsync(words, { from: "user" });
  return parsed;
}

async function refusal(...words: string[]): Promise<string> {
  const io = ioOf();
  expect(await run(words, io)).toBe(2);
  expect(io.stdout.text).toBe("");
  return io.stderr.text.trimEnd();
}

test("arguments and options are read by the names in the table", async () => {
  expect(await parse("submit", "ci.yml", "-f", "--var", "A=1", "--var", "B=x=y", "-t", "a,b", "-t", "c")).toMatchObject(
    {
      name: "submit",
      input: { manifest: "ci.yml", follow: true, var: { A: "1", B: "x=y" }, tag: ["a,b", "c"] },
    },
  );
  expect((await parse("logs"))!.input).toEqual({ build: undefined });
  expect(
    (await parse("webhooks", "update", "4", "-n", "team", "--ssl", "false", "--events", "cron,images"))!.input,
  ).toEqual({
    ...{ id: "4", namespace: "team", ssl: false, events: ["cron", "images"] },
  });
  const { kind } = (await parse("events", "-k", "cron", "-k", "build.finished"))!.input;
  expect(kind).toEqual(["cron", "build.finished"]);
});

test("common options are read before and after a command", async () => {
  const options = { json: true, context: "work" };
  expect((await parse("--json", "keys", "list", "--context", "work"))!.options).toMatchObject(options);
  expect((await parse("--context", "work", "keys", "list", "--json"))!.options).toMatchObject(options);
});

test("an alias stands for its command", async () => {
  expect((await parse("contexts", "use", "work"))!.name).toBe("context use");
});

test("a wrong word is refused with the one that was probably meant", async () => {
  expect(await refusal("log")).toBe('unknown command "log", did you mean "logs"?');
  expect(await refusal("cancel", "3")).toBe('unknown command "cancel", did you mean "kill"?');
  expect(await refusal("secrets")).toBe('unknown command "secrets", did you mean "vars"?');
  expect(await refusal("keys", "lst")).toBe('unknown command "lst", did you mean "list"?');
  expect(await refusal("keys", "stop")).toBe('unknown command "stop", did you mean "show"?');
  expect(await refusal("cron", "runs")).toBe('unknown command "runs", did you mean "run"?');
  expect(await refusal("list", "--statuss", "failed")).toBe('unknown option "--statuss", did you mean "--status"?');
});

test.each([
  [["kill"], 'missing required argument "build"'],
  [["list", "--limit", "0"], /"--limit <number>" argument "0" is invalid\. It must be a whole number from 1\./],
  [["list", "--status", "done"], /"done" is invalid\. Allowed choices are queued, running, passed/],
  [["events", "--kind", "build.finnished"], /"build.finnished" is invalid\. Allowed choices are build\.submitted, /],
  [["submit", "--var", "A"], /"A" is invalid\. It must have the form KEY=VALUE\./],
  [["submit", "a.yml", "b.yml"], /too many arguments/],
  [["webhooks", "list"], /required option "-n, --namespace <text>" not specified/],
])("%j is refused as wrong usage", async (words, message) => {
  expect(await refusal(...words)).toMatch(message);
});

const forms = { set: "the form NAME=- or NAME=VALUE", fromEnv: "the form NAME=VARIABLE" };
test.each([
  [["--set", "Authorization: Bearer s3cr3t"], forms.set],
  [["--set", "Authorization: Basic s3cr3t=="], forms.set],
  [["--from-env", "Authorization: s3cr3t"], forms.fromEnv],
  [["--from-env", "Authorization=Bearer s3cr3t"], forms.fromEnv],
  [["--from-env", "Authorization=s3cr3t"], 'The environment lacks the variable for the header "Authorization"'],
  [["--set", "s3cr3t="], forms.set],
  [["--set", "s3cr3t=="], forms.set],
  [["--remove", "Authorization: s3cr3t"], "the name of a header"],
  [["--set", "A=s3cr3t", "--from-env", "a=HOME"], "Each header can be given only once"],
  [["--set", "A=s3cr3t", "--set", "A=other"], "Each header can be given only once"],
  [["--sett=A=s3cr3t"], 'unknown option "--sett"'],
])("the refusal of %j does not repeat a secret", async (given, message) => {
  const text = await refusal("webhooks", "headers", "7", "--namespace", "team", ...given);
  expect(text).toContain(message);
  expect(text).not.toContain("s3cr3t");
});

test("help goes to standard output and names the exit codes", async () => {
  const io = ioOf();
  expect(await run(["--help"], io)).toBe(0);
  expect(io.stdout.text).toContain("130  interrupted");
  expect(io.stdout.text).not.toContain("__complete");
  expect(io.stderr.text).toBe("");
});

test("help explains the options of a command in a group", async () => {
  const io = ioOf();
  expect(await run(["help", "contexts", "use"], io)).toBe(0);
  expect(io.stdout.text).toMatch(/^Usage: ci context\S* use .*<name>/);
  expect(await run(["help", "tokens", "create"], io)).toBe(0);
  expect(io.stdout.text).toContain("Permissions, such as 'build:read,write image:read'");
  expect(await refusal("help", "tokens", "make")).toBe('unknown command "make"');
  expect(await refusal("keys")).toMatch(/ help \[command\] +Show the help of a command/);
});

test("a group without a command shows its help as wrong usage", async () => {
  expect(await refusal("keys")).toContain("Usage: ci keys [options] [command]");
});

test("every command has a handler, and every group has commands", () => {
  const handled = [...Object.keys(loaders), ...Object.keys(operations)];
  expect(Object.keys(table).sort()).toEqual(handled.sort());
  const shown = Object.keys(table).filter((name) => !table[name]!.hidden);
  const firstWords = [...new Set(shown.map((name) => name.split(" ")[0]!))];
  expect(Object.values(headings).flat().sort()).toEqual(firstWords.sort());
  const grouped = Object.keys(table).filter((name) => name.includes(" "));
  expect([...new Set(grouped.map((name) => name.split(" ")[0]!))].sort()).toEqual(Object.keys(groups).sort());
});

test("no option of a command hides a common one, and no two share a letter", () => {
  for (const [name, { options = {} }] of Object.entries(table)) {
    const letters = ["q", "V", "h", ...Object.values(options).flatMap(({ short }) => short ?? [])];
    expect([name, letters.length]).toEqual([name, new Set(letters).size]);
    for (const common of ["json", "quiet", "context", "server", "token"]) expect(options).not.toHaveProperty(common);
  }
});
