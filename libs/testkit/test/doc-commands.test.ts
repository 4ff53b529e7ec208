import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const filesIn = (folder: string, ending: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
const pages = filesIn("docs", ".md");

const commandsOf = (beginning: RegExp) =>
  pages.flatMap((path) =>
    [...read(path).matchAll(new RegExp(`kubectl -n ci ${beginning.source} ([^\`\\n|]*)`, "g"))].map(
      ([, args]) => args!,
    ),
  );

it("each kubectl rollout restart in the docs names either types or resources", () => {
  const commands = commandsOf(/rollout restart/);
  expect(commands.length).toBeGreaterThan(0);
  const refused = commands.filter((args) => {
    const words = args.trim().split(" ");
    return words.some((word) => word.includes("/")) && !words.every((word) => /^\w+\/[\w<>-]+$/.test(word));
  });
  expect(refused).toEqual([]);
});

it("each kubectl logs in the docs that selects pods by label reads whole logs", () => {
  const selecting = commandsOf(/logs/).filter((args) => /(^| )-l /.test(args));
  expect(selecting.length).toBeGreaterThan(0);
  expect(selecting.filter((args) => !args.includes("--tail=-1"))).toEqual([]);
});

it("docs/operating/alerts.md quotes log lines that the code has", () => {
  const text = read("docs/operating/alerts.md").replaceAll("\n", " ");
  const quoted = [...text.matchAll(/\blog (?:lines?|says) `([^`]+)`/gi)].map(([, line]) => line!);
  expect(quoted.length).toBeGreaterThan(3);
  const code = ["libs", "services"]
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name, "src")))
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesIn(folder, ".ts").map(read))
    .join("\n");
  expect(quoted.filter((line) => !code.includes(`"${line}"`))).toEqual([]);
});
