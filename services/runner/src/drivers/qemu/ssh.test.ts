import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Algorithms, Server, utils } from "ssh2";
import { logInNow, makeKeyPair } from "./ssh.js";

test("makeKeyPair returns only key pairs that can be parsed", () => {
  const pairs = Array.from({ length: 3_000 }, makeKeyPair);
  expect(pairs.filter((pair) => utils.parseKey(pair.private) instanceof Error)).toEqual([]);
});

/** Logs in to a server that accepts everybody and only these algorithms. */
async function logInWith(algorithms: Algorithms): Promise<void> {
  const keys = makeKeyPair();
  const server = new Server({ hostKeys: [keys.private], algorithms }, (connection) => {
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
  await logInWith({ compress: ["none"] });
  await expect(logInWith({ compress: ["zlib@openssh.com", "zlib"] })).rejects.toThrow("no matching C->S compression");
});

test("logInNow refuses group exchange, in which a guest chooses the prime", async () => {
  await logInWith({ kex: ["diffie-hellman-group14-sha256"] });
  await expect(
    logInWith({ kex: ["diffie-hellman-group-exchange-sha256", "diffie-hellman-group-exchange-sha1"] }),
  ).rejects.toThrow("no matching key exchange algorithm");
});
