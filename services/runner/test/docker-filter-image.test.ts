import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { networkInterfaces } from "node:os";
import { createServer } from "node:tls";
import { type Authority, newAuthority } from "@ci/certificates/authority";
import { parseAllow } from "@ci/kit/net/guard";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { notRun } from "@ci/testkit/not-run";
import Docker from "dockerode";
import { filterImage } from "../src/drivers/docker/images/filter-image.js";
import { fileIn } from "./_docker.js";
import { type Registry, serveImage } from "./_registry.js";

const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
/** Engines ask for TLS here, unlike on the loopback. */
const address = addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address;

/** Puts TLS in front of a registry, with a certificate that engines do not trust. */
async function withTls({ host }: Registry, authority: Authority) {
  const port = Number(host.split(":")[1]);
  const server = createServer(await authority.sign([address!], 1), (socket) => {
    const inner = connect(port, "127.0.0.1");
    socket.on("error", () => inner.destroy()).on("close", () => inner.destroy());
    inner.on("error", () => socket.destroy());
    socket.pipe(inner).pipe(socket);
  }).listen(0, address);
  await once(server, "listening");
  return {
    host: `${address}:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]: () => void server.close(),
  };
}

if (!process.env.CI_TEST_IMAGE || !address) notRun("the image of the packet filter", "no Docker Engine, or no network");
else {
  const engine = new Docker();
  const pullBytes = 1024 ** 3;
  const agentOf = (extraCa?: string) => guardedAgent({ allow: parseAllow(address), ...(extraCa && { extraCa }) });

  test.each([
    ["its tag", () => ""],
    ["its digest", (digest: string) => `@${digest}`],
  ])("the runner fetches an image by %s if the engine does not trust its registry", async (_what, reference) => {
    const text = randomUUID();
    await using registry = await serveImage(text);
    const authority = await newAuthority(1);
    using secure = await withTls(registry, authority);
    const image = `${secure.host}/x:1${reference(registry.digest)}`;
    const agent = agentOf(authority.ca);
    const options = { engine, image, agent, pullBytes, runner: text };
    const name = await filterImage(options);
    expect(await fileIn(engine, name)).toBe(text);
    const before = registry.asked.length;
    expect(await filterImage(options)).toBe(name);
    expect(registry.asked).toHaveLength(before);
    await engine.getImage(name).remove();
    await agent.destroy();
  });

  test("the error says why neither could pull it", async () => {
    await using registry = await serveImage(randomUUID());
    using secure = await withTls(registry, await newAuthority(1));
    const agent = agentOf();
    const failed = filterImage({ engine, image: `${secure.host}/x:1`, agent, pullBytes, runner: "x" });
    await expect(failed).rejects.toMatchObject({
      message: expect.stringMatching(/^Neither the engine nor the runner could pull .*\/x:1$/),
      errors: [{ cause: expect.anything() }, { cause: expect.anything() }],
    });
    await agent.destroy();
  });
}
