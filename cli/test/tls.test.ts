import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { newAuthority } from "@ci/certificates/authority";
import { receiver } from "@ci/testkit/receiver";
import { Ci } from "./_ci.js";

const user = new Ci();
afterAll(() => user[Symbol.dispose]());

const list = (CI_SERVER: string, env: NodeJS.ProcessEnv = {}) =>
  user.run(["list"], { env: { CI_SERVER, CI_TOKEN: "ci_one", ...env } });

test("a certificate of an unknown authority is refused with advice, which helps", async () => {
  const authority = await newAuthority(1);
  const server = createServer(await authority.sign(["127.0.0.1"], 1), (_, response) => {
    response.setHeader("Content-Type", "application/json").end("[]");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const advice = "To trust your own authority, set NODE_EXTRA_CA_CERTS to the file of its certificate\n";
  expect(await list(url)).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(advice) });
  const file = join(user.folder, "ca.pem");
  await writeFile(file, authority.ca);
  expect((await list(url, { NODE_EXTRA_CA_CERTS: file })).code).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});

test("a server without TLS at an https address is named as such", async () => {
  await using plain = await receiver();
  const stderr =
    "The server cannot be reached: it does not use TLS at this address and port. Use http:// or another port\n";
  expect(await list(plain.url.replace("http:", "https:"))).toEqual({ code: 1, stdout: "", stderr });
});
