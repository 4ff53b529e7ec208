import { randomUUID } from "node:crypto";
import type { AssignedCache } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import { anAssignment, newId } from "./_assignment.js";
import { deriveImage } from "./_docker.js";
import { bootRunner } from "./_suite.js";

const base = process.env.CI_TEST_IMAGE;

if (!base) test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  const booted = bootRunner({ drivers: ["docker"], builds: 1 });
  let image: string;

  beforeAll(async () => {
    image = await deriveImage(engine, {
      ...{ base, tag: `test-${randomUUID()}` },
      add(files) {
        for (const name of ["index", "other", "folder/own"]) files.entry({ name: `root/${name}` }, "of the image\n");
        for (const [name, linkname] of Object.entries({ toFile: "index", toItself: "toItself", toFolder: "folder" }))
          files.entry({ name: `root/${name}`, type: "symlink", linkname });
      },
    });
  });
  afterAll(() => engine.getImage(image).remove());

  afterEach(() =>
    eventually(async () => {
      const filters = { label: [`ci.runner=${booted.config.name}`] };
      const { Volumes: volumes } = await engine.listVolumes({ filters });
      expect([await engine.listContainers({ all: true, filters }), volumes ?? []]).toEqual([[], []]);
    }),
  );

  const aCache = (...paths: string[]): AssignedCache => ({ name: randomUUID(), key: [], paths });
  const storedOf = ({ name }: AssignedCache) => booted.queue.caches.filter(({ header }) => header.name === name);
  const driverOf = (image: string, workspace = "/build") => ({
    ...{ type: "docker" as const, image, workspace, pullAlways: false, keepOnFailureMinutes: 0 },
  });
  const build = (image: string, caches: AssignedCache[], ...jobs: string[][]) =>
    booted.run(anAssignment({ driver: driverOf(image), caches }, ...jobs));
  const remedy = "cache a folder, or a path in the workspace";

  test("a build passes without caches whose paths are no folders in the image, and with the others", async () => {
    const paths = ["~/index", "~/index/deep", "~/other/deep", "~/toFile", "~/toItself"];
    const unused = paths.map((path) => aCache("kept", path));
    const used = aCache("~/folder", "~/new");
    const make = "mkdir kept && echo shared | tee kept/one ~/folder/two > ~/new/three";
    const show = "cat /root/index /root/folder/own /root/folder/two /root/new/three";
    const shown = `+ ${show}\nof the image\nof the image\nshared\nshared\n`;
    const { outcomes, text } = await build(image, [...unused, used], [make], [show]);
    expect({ outcomes, errors: text.match(/^cache error.*/gm) }).toEqual({
      outcomes: ["passed", "passed", "passed"],
      errors: unused.map(
        ({ name }, at) => `cache error: ${name}: ${paths[at]} is not a folder in the image; ${remedy}`,
      ),
    });
    expect(text).toContain(shown);
    expect([...unused, used].flatMap(storedOf)).toEqual(storedOf(used));
    const again = await build(image, [...unused, used], [show]);
    expect(again.text).toContain(`Cache ${used.name}: hit: `);
    expect(again.text).toContain(shown);
  });

  test("an object at a cached path that is a file in the image is there for all jobs", async () => {
    const objectId = newId();
    booted.queue.objects.set(objectId, "of the build\n");
    const objects = [{ id: newId(), source: "given", name: "/root/index", objectId }];
    const show = "cat /root/index";
    const { text } = await booted.run(
      anAssignment({ driver: driverOf(image), caches: [aCache("~/index")], objects }, [show], [show]),
    );
    expect(text).toContain(`+ ${show}\nof the build\n+ ${show}\nof the build\n`);
  });

  test("what a build with another image has kept is neither placed nor replaced where the path is a file", async () => {
    const cache = aCache("kept", "~/index");
    await build(base, [cache], ["mkdir kept && echo one | tee kept/one > ~/index/one"]);
    const { final, text } = await build(image, [cache], ["ls -A . ~/index"], ["rm ~/index"]);
    expect({ final, stored: storedOf(cache).length }).toEqual({ final: "passed", stored: 1 });
    expect(text).toContain("+ ls -A . /root/index\n/root/index\n\n.:\n+ rm ");
    expect((await build(base, [cache], ["cat kept/one ~/index/one"])).text).toContain("\none\none\n");
  });

  test("a cached path that is a link in the image is not stored, and the output says so", async () => {
    const cache = aCache("kept", "~/toFolder");
    const jobs = [["mkdir kept && echo shared > ~/toFolder/one"], ["cat ~/toFolder/own ~/folder/one"]];
    const { final, text } = await build(image, [cache], ...jobs);
    expect({ final, stored: storedOf(cache).length }).toEqual({ final: "passed", stored: 0 });
    expect(text).toContain("\nof the image\nshared\n");
    expect(text).toContain(`cache error: ${cache.name}: ~/toFolder is a symbolic link in the image; ${remedy}\n`);
  });

  test("an entry with a file where a cached folder is now fails no build, and a new one is stored", async () => {
    const cache = aCache("~/kept");
    await build(base, [cache], ["echo one > ~/kept/one"]);
    const { final, text } = await build(base, [{ ...cache, paths: ["~/kept/one"] }], ["echo two > ~/kept/one/two"]);
    expect({ final, stored: storedOf(cache).length }).toEqual({ final: "passed", stored: 2 });
    expect(text.match(/^cache error.*/gm)).toEqual([expect.stringContaining(cache.name)]);
  });

  test("a workspace that is a file in the image fails a build with a cache as it fails one without", async () => {
    const cache = aCache("~/index");
    const { outcomes, text } = await booted.run(
      anAssignment({ driver: driverOf(image, "/root/folder/own"), caches: [cache] }, ["true"]),
    );
    expect(outcomes).toEqual(["failed"]);
    expect(text).toContain(
      `cannot run image ${image} with the workspace /root/folder/own; the runner's log says why\n`,
    );
  });
}
