import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";

const root = join(__dirname, "../../..");
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const folders = (dir: string) => readdirSync(join(root, dir));

/** Returns all source files below a folder, except generated and installed ones. */
function sources(dir: string): string[] {
  return readdirSync(join(root, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return /^(node_modules|dist|gen)$/.test(entry.name) ? [] : sources(path);
    return /\.(ts|mjs|js)$/.test(entry.name) ? [path] : [];
  });
}

/** Returns all Markdown pages below a folder. */
function pagesIn(dir: string): string[] {
  const found = readdirSync(join(root, dir), { recursive: true, encoding: "utf8" });
  return found.filter((name) => name.endsWith(".md")).map((name) => join(dir, name));
}

const allSources = ["cli", "client", "libs", "local-run", "services", "deploy", "bench", "examples"].flatMap(sources);
const services = folders("services");

it.each(services)("%s depends on no other service", (service) => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(read("services", service, "package.json"));
  const dependencyNames = Object.keys({ ...dependencies, ...devDependencies });
  expect(dependencyNames.filter((name) => services.some((other) => name === `@ci/${other}`))).toEqual([]);
});

it("no file is longer than 300 lines", () => {
  const long = allSources.filter((path) => read(path).split("\n").length > 301);
  expect(long).toEqual([]);
});

it("only config.ts reads the environment", () => {
  const shipped = allSources.filter((path) => /^(services\/\w+|libs\/(kit|rest))\/src\//.test(path));
  const offenders = shipped.filter((path) => read(path).includes("process.env") && !path.endsWith("/config.ts"));
  expect(offenders).toEqual([]);
});

it("no test mocks our own code, or fakes timers, which has no effect in our environment", () => {
  const offenders = allSources.filter(
    (path) => /jest\.(mock|spyOn|fn|useFakeTimers)\(/.test(read(path)) && path !== relative(root, __filename),
  );
  expect(offenders).toEqual([]);
});

it("docs/operating/settings.md and limits.md are up to date", async () => {
  await promisify(execFile)(process.execPath, [join(root, "docs/operating/generate.mjs"), "--check"]);
});

it("the dashboard is up to date", async () => {
  await promisify(execFile)(process.execPath, [join(root, "docs/operating/dashboard.mjs"), "--check"]);
});

it.each(["manifest", "cli"])("docs/%s.md is up to date", async (page) => {
  await promisify(execFile)(process.execPath, [join(root, `docs/${page}.mjs`), "--check"]);
});

describe("docs/isolation.md", () => {
  /** Runs a script that has the page's text and the function that checks it. */
  async function complaint(change: string): Promise<string> {
    const script = `
      import { readFileSync } from "node:fs";
      import { complaintAbout } from ${JSON.stringify(join(root, "probe/page.mjs"))};
      const page = readFileSync(${JSON.stringify(join(root, "docs/isolation.md"))}, "utf8");
      console.log(complaintAbout(${change}) ?? "no complaint");`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    return stdout.trim();
  }

  it("lists exactly the probes that exist", async () => {
    expect(await complaint("page")).toBe("no complaint");
  });

  it.each([
    ["a missing row", String.raw`page.replace(/^.*\bio_uring\b.*\n/m, "")`],
    ["a row too many", String.raw`page.replace(/^.*\bio_uring\b.*\n/m, (row) => row + row)`],
    ["a driver without a date", String.raw`page.replace(/^(\| os \| \d+ \|) \S+ /m, "$1  ")`],
    ["an attempt without a result", String.raw`page.replace(/(io_uring.*)\| .* \|$/m, "$1| |")`],
    ["a result that no probe expects", String.raw`page.replace(/(io_uring.*)\| .* \|$/m, "$1| it worked |")`],
  ])("is refused with %s", async (_what, change) => {
    expect(await complaint(change)).toMatch(/^docs\/isolation\.md /);
  });
});

it("docs/operating/settings.md names every setting, and every variable of Compose and of the commands", () => {
  const settings = allSources
    .filter((path) => path.endsWith("/config.ts"))
    .flatMap((path) => [...read(path).matchAll(/\bs\.\w+\(\s*"([A-Z][A-Z0-9_]+)"/g)].map(([, name]) => name!));
  const compose = [...read("deploy/compose.yaml").matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!);
  const commands = allSources
    .filter((path) => /^(deploy\/(local|image|otel)|bench)\//.test(path))
    .flatMap((path) => [...read(path).matchAll(/\benv\.([A-Z][A-Z_]+)/g)].map(([, name]) => name!));
  const page = read("docs/operating/settings.md");
  const notOurs = ["XDG_RUNTIME_DIR"];
  expect(settings.length).toBeGreaterThan(40);
  const names = [...new Set([...settings, ...compose, ...commands])].filter((name) => !notOurs.includes(name));
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it("docs/operating/configuration.md lists only existing settings", () => {
  const page = read("docs/operating/settings.md");
  const rows = read("docs/operating/configuration.md").matchAll(/^\| (`[A-Z].*?) \|/gm);
  const names = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});

it("the README has at most 120 lines", () => {
  expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});

describe("the pages", () => {
  const pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md", ...pagesIn("docs")];

  /** Returns the anchors that GitHub gives to a page's headings. */
  const anchorsOf = (page: string) =>
    [...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, "")
        .replaceAll(" ", "-"),
    );

  it.each(pages)("%s links only to existing files and headings", (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link!);
    const broken = links.filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : join(page, "..", path);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it("the index of docs/decisions.md lists every decision", () => {
    const page = read("docs/decisions.md");
    const decisions = anchorsOf(page).filter((anchor) => /^\d{4}-/.test(anchor));
    const index = [...page.matchAll(/^- \[.+\]\(#(.+)\)$/gm)].map(([, anchor]) => anchor!);
    expect(index.sort()).toEqual(decisions.sort());
  });
});

it("package.json, the chart, Compose and the newest release in the changelog name one version", () => {
  const { version } = JSON.parse(read("package.json"));
  const chart = read("deploy/helm/service-ci/Chart.yaml");
  const released = [...read("CHANGELOG.md").matchAll(/^## (\d\S*)/gm)].map(([, name]) => name);
  const images = [...read("deploy/compose.yaml").matchAll(/CI_VERSION:-([^}]+)/g)].map(([, name]) => name);
  expect({ chart: /^version: (.+)$/m.exec(chart)?.[1], app: /^appVersion: (.+)$/m.exec(chart)?.[1] }).toEqual({
    chart: version,
    app: version,
  });
  expect(released[0]).toBe(version);
  expect([...new Set(images)]).toEqual([version]);
});
