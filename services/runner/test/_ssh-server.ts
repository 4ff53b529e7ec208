import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Algorithms, type Client, type Connection, Server } from "ssh2";
import { logInNow, makeKeyPair } from "../src/drivers/qemu/ssh.js";

export type Serve = (connection: Connection) => unknown;

/** Does work on a connection to a server that accepts everybody. */
export async function withServer(
  algorithms: Algorithms,
  work: (client: Client) => unknown = () => undefined,
  serve: Serve = () => undefined,
): Promise<void> {
  const keys = makeKeyPair();
  const server = new Server({ hostKeys: [keys.private], algorithms }, (connection) => {
    connection.on("error", () => undefined).on("authentication", (attempt) => attempt.accept());
    (connection as unknown as Client).setNoDelay(true);
    serve(connection);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  try {
    const client = await logInNow({ port, privateKey: keys.private }, new AbortController().signal);
    try {
      client.setNoDelay(true);
      await work(client);
    } finally {
      client.end();
    }
  } finally {
    server.close();
  }
}
