import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(__dirname, "../../..");
const read = (...path: string[]) => readFileSync(join(root, ...path), "utf8");
const folders = (dir: string) => readdirSync(join(root, dir));

/** All source files below a folder, without what is generated or installed. */
function sources(dir: string): string[] {
  return readdirSync(join(root, dir), { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return /^(node_modules|dist|gen)$/.test(entry.name) ? [] : sources(path);
    return /\.(ts|mjs|js)$/.test(entry.name) ? [path] : [];
  });
}

const all = ["libs", "services", "deploy", "bench", "examples"].flatMap(sources);
const services = folders("services");

it.each(services)("%s depends on no other service", (service) => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(read("services", service, "package.json"));
  const named = Object.keys({ ...dependencies, ...devDependencies });
  expect(named.filter((name) => services.some((other) => name === `@ci/${other}`))).toEqual([]);
});

it("no file is longer than 300 lines", () => {
  const long = all.filter((path) => read(path).split("\n").length > 301);
  expect(long).toEqual([]);
});

it("the environment is read in config.ts only", () => {
  const shipped = all.filter((path) => /^(services\/\w+|libs\/(kit|rest))\/src\//.test(path));
  const reading = shipped.filter((path) => read(path).includes("process.env") && !path.endsWith("/config.ts"));
  expect(reading).toEqual([]);
});

it("our own code is never replaced in a test", () => {
  const replacing = all.filter(
    (path) => /jest\.(mock|spyOn|fn)\(/.test(read(path)) && path !== relative(root, __filename),
  );
  expect(replacing).toEqual([]);
});

it("the README names every setting", () => {
  const settings = all
    .filter((path) => path.endsWith("/config.ts"))
    .flatMap((path) => [...read(path).matchAll(/\bs\.\w+\(\s*"([A-Z][A-Z0-9_]+)"/g)].map(([, name]) => name!));
  const readme = read("README.md");
  expect(settings.length).toBeGreaterThan(40);
  expect([...new Set(settings)].filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});
