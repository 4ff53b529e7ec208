import { type Client, type ClientChannel, type ServerChannel, utils } from "ssh2";
import { type Serve, withServer } from "../../../test/_ssh-server.js";
import { makeKeyPair } from "./ssh.js";

test("makeKeyPair returns only key pairs that can be parsed", () => {
  const pairs = Array.from({ length: 3_000 }, makeKeyPair);
  expect(pairs.filter((pair) => utils.parseKey(pair.private) instanceof Error)).toEqual([]);
});

test("logInNow refuses compression, which could make one packet of a guest a thousand times as large", async () => {
  await withServer({ compress: ["none"] });
  await expect(withServer({ compress: ["zlib@openssh.com", "zlib"] })).rejects.toThrow("no matching C->S compression");
});

test("logInNow refuses group exchange, in which a guest chooses the prime", async () => {
  await withServer({ kex: ["diffie-hellman-group14-sha256"] });
  await expect(
    withServer({ kex: ["diffie-hellman-group-exchange-sha256", "diffie-hellman-group-exchange-sha1"] }),
  ).rejects.toThrow("no matching key exchange algorithm");
});

const windowBytes = 2 * 1024 ** 2;

test.each(["stdout", "stderr"] as const)("a server that ignores the window of %s is disconnected", async (name) => {
  /** Packets of this size do not fill the window exactly. */
  const packetSize = 32_767;
  const ignoreWindow = (channel: ServerChannel) => {
    Object.assign((channel as unknown as { outgoing: object }).outgoing, {
      window: Number.POSITIVE_INFINITY,
      packetSize,
    });
    channel[name].write(Buffer.alloc(4 * windowBytes));
  };
  const serve: Serve = (connection) =>
    connection.on("session", (accept) =>
      accept().on("exec", (begin) => {
        ignoreWindow(begin());
        connection.end();
      }),
    );
  const read = async (client: Client) => {
    const errors: string[] = [];
    client.on("error", ({ message }) => errors.push(message));
    const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
    const channel = await new Promise<ClientChannel>((resolve, reject) =>
      client.exec("print", (error, opened) => (error ? reject(error) : resolve(opened))),
    );
    await closed;
    expect(channel[name].readableLength).toBeGreaterThanOrEqual(windowBytes - packetSize);
    expect(channel[name].readableLength).toBeLessThanOrEqual(2 * windowBytes);
    expect(errors).toEqual(["The server sent more data than the window allows"]);
  };
  await withServer({}, read, serve);
});
