import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import Docker from "dockerode";
import type { Driver } from "../src/driver.js";
import { imageRoom } from "../src/drivers/docker/images/image-room.js";
import { pulledImages } from "../src/drivers/docker/images/pulled.js";
import { workRoot } from "../src/drivers/work-root.js";
import { engineProxy } from "./_engine-proxy.js";
import { pulling } from "./_pulling.js";
import { type ImageRegistry, serveImage } from "./_registry.js";

if (!process.env.CI_TEST_IMAGE)
  test("not run: no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)", () => undefined);
else {
  const engine = new Docker();
  const login = "ann:s3cret";
  const pulls = pulling();
  let name: string;

  beforeEach(() => {
    name = pulls.name();
  });

  const prepared = (registry: ImageRegistry, logins?: string, then?: (driver: Driver) => Promise<void>) =>
    pulls.prepared(`${registry.host}/x:1`, { guard: pulls.opened(registry), logins, then });

  async function roomOf(localImages: readonly string[] = [], { restMs = 0, loadMs = 0 } = {}) {
    const pulled = pulledImages((await workRoot(pulls.dir(), name)).path);
    const log = createLog("runner", "silent");
    return { pulled, room: imageRoom({ engine, pulled, localImages, runner: name, log, restMs, loadMs }) };
  }

  const isThere = async (...registries: ImageRegistry[]): Promise<boolean[]> => {
    const all = await engine.listImages();
    return registries.map(({ id }) => all.some(({ Id }) => Id === id));
  };
  const remove = ({ id }: ImageRegistry) => engine.getImage(id).remove({ force: true });

  test("an image that a build has just used stays, and goes later", async () => {
    await using open = await serveImage(`${name} open`);
    await using locked = await serveImage(`${name} locked`, { login });
    const makeRoom = (driver: Driver) => driver.makeRoom!(async () => true);
    await prepared(locked, JSON.stringify({ auths: { [locked.host]: { auth: btoa(login) } } }), makeRoom);
    expect(await isThere(locked)).toEqual([true]);
    await prepared(open);
    expect(await isThere(open, locked)).toEqual([true, true]);
    const { room, pulled } = await roomOf();
    await room.makeRoom(async () => true);
    expect(await isThere(open, locked)).toEqual([false, false]);
    expect(await pulled.has(open.id)).toBe(false);
  });

  test("the one that was used least recently goes first, and no more than it takes", async () => {
    await using first = await serveImage(`${name} first`);
    await using second = await serveImage(`${name} second`);
    for (const one of [first, second]) await prepared(one);
    const { room } = await roomOf();
    for (const { id } of [second, first]) room.used(id);
    await room.makeRoom(async () => (await isThere(second))[0]!);
    expect(await isThere(first, second)).toEqual([true, false]);
    await remove(first);
  });

  test("one that a build begins to use while room is made stays", async () => {
    await using used = await serveImage(`${name} used`);
    await using other = await serveImage(`${name} other`);
    for (const one of [used, other]) await prepared(one);
    const { room } = await roomOf([], { restMs: 3_600_000 });
    await room.makeRoom(async () => {
      room.used(used.id);
      return true;
    });
    expect(await isThere(used, other)).toEqual([true, false]);
    await remove(used);
  });

  test("images stay that a container needs, that a setting names, or that have a name from elsewhere", async () => {
    await using needed = await serveImage(`${name} needed`);
    await using named = await serveImage(`${name} named`);
    await using foreign = await serveImage(`${name} foreign`);
    await using tagged = await serveImage(`${name} tagged`);
    for (const one of [foreign, needed, named, tagged]) await prepared(one);
    const { room, pulled } = await roomOf([`${named.host}/*`]);
    for (const one of [foreign.id, `${foreign.host}/x:1`]) await pulled.remove(one);
    await engine.getImage(tagged.id).tag({ repo: `operators-${name}`, tag: "1" });
    const container = await engine.createContainer({ Image: needed.id, Cmd: ["/file"] });
    await room.makeRoom(async () => true);
    expect(await isThere(needed, named, foreign, tagged)).toEqual([true, true, true, true]);
    expect((await engine.getImage(tagged.id).inspect()).RepoTags).toHaveLength(2);
    await container.remove();
    await room.makeRoom(async () => true);
    expect(await isThere(needed, named, foreign, tagged)).toEqual([false, true, true, true]);
    for (const one of [named, foreign, tagged]) await remove(one);
  });

  describe("the image of a build that was killed once the engine had it", () => {
    let registry: ImageRegistry;
    let called: string;
    const options = () => ({ guard: pulls.opened(registry), localImages: [called] });

    beforeEach(async () => {
      registry = await serveImage(name);
      called = `${registry.host}/x:1`;
      await using proxy = await engineProxy();
      proxy.withhold("/images/load");
      const killed = new AbortController();
      const build = pulls.prepared(called, { ...options(), host: proxy.host }, killed.signal);
      const ended = expect(build).rejects.toThrow("killed");
      await eventually(async () => expect(await isThere(registry)).toEqual([true]));
      killed.abort(new Error("killed"));
      await ended;
    });
    afterEach(() => registry[Symbol.asyncDispose]());

    test.each(["its own name", "*"])("goes, though a setting names %s", async (pattern) => {
      const { room } = await roomOf([pattern === "*" ? "*" : called]);
      await room.makeRoom(async () => true);
      expect(await isThere(registry)).toEqual([false]);
    });

    test("stays while it may still get its own name", async () => {
      const { room } = await roomOf([], { loadMs: 600_000 });
      await room.makeRoom(async () => true);
      expect(await isThere(registry)).toEqual([true]);
      await remove(registry);
    });

    test("is not the operator's, even if a setting names it", async () => {
      expect(await pulls.prepared(called, options())).toContain(`Pulling image ${called}`);
      await remove(registry);
    });
  });
}
