import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type CompressionAlgorithm, Server, utils } from "ssh2";
import { logInNow, makeKeyPair } from "./ssh.js";

test("makeKeyPair returns only key pairs that can be parsed", () => {
  const pairs = Array.from({ length: 3_000 }, makeKeyPair);
  expect(pairs.filter((pair) => utils.parseKey(pair.private) instanceof Error)).toEqual([]);
});

/** Logs in to a server that accepts everybody and only this compression. */
async function logInWith(compress: CompressionAlgorithm[]): Promise<void> {
  const keys = makeKeyPair();
  const server = new Server({ hostKeys: [keys.private], algorithms: { compress } }, (connection) => {
    connection.on("error", () => undefined).on("authentication", (attempt) => attempt.accept());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const client = await logInNow({ port, privateKey: keys.private }, new AbortController().signal);
    client.end();
  } finally {
    server.close();
  }
}

test("logInNow refuses compression, which could make one packet of a guest a thousand times as large", async () => {
  await logInWith(["none"]);
  await expect(logInWith(["zlib@openssh.com", "zlib"])).rejects.toThrow("no matching C->S compression");
});
