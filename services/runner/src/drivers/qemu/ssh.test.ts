import type { Socket } from "node:net";
import { maxUnsentBytes } from "@ci/kit/net/ssh-limits";
import { eventually } from "@ci/testkit/eventually";
import { type Client, type ClientChannel, type ParsedKey, type ServerChannel, utils } from "ssh2";
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

/** What the tests use of ssh2's private parts. */
interface Peer {
  readonly _sock: Socket;
  readonly _protocol: {
    _debug: (line: string) => void;
    _onWrite: (piece: Buffer) => unknown;
    readonly _kexinit?: Buffer;
    readonly _queue?: readonly Buffer[];
    readonly _cipher: { encrypt(packet: Buffer): void };
    readonly _packetRW: {
      write: { allocStart: number; alloc(size: number): Buffer; finalize(packet: Buffer): Buffer };
    };
    channelWindowAdjust(id: number, bytes: number): void;
  };
}
const partsOf = (end: unknown) => end as Peer;

/** Collects the errors of a client until its connection is closed. */
async function errorsOf(client: Client): Promise<string[]> {
  const errors: string[] = [];
  client.on("error", ({ message }) => errors.push(message));
  await new Promise<void>((resolve) => client.once("close", () => resolve()));
  return errors;
}

const execute = (client: Client): Promise<ClientChannel> =>
  new Promise((resolve, reject) => {
    client.exec("any", (error, opened) => (error ? reject(error) : resolve(opened)));
  });

/** Takes more than the time for one turn, for all packets of a slice together. */
function work(): void {
  for (const until = performance.now() + 0.1; performance.now() < until; );
}

test("other work runs between the packets of a server that sends many small ones", async () => {
  const packets = 4_000;
  const flood: Serve = (connection) =>
    connection.on("session", () => {
      const { _sock: socket, _protocol: protocol } = partsOf(connection);
      const { write } = protocol._packetRW;
      const pieces: Buffer[] = [];
      protocol._onWrite = (piece) => pieces.push(piece);
      for (let sent = 0; sent < packets; sent++) {
        const packet = write.alloc(1 + 4);
        packet[write.allocStart] = 2;
        packet.writeUInt32BE(0, write.allocStart + 1);
        protocol._cipher.encrypt(write.finalize(packet));
      }
      socket.write(Buffer.concat(pieces));
    });
  const perTurn = [0];
  const read = async (client: Client) => {
    partsOf(client)._protocol._debug = (line) => {
      if (!line.includes("IGNORE")) return;
      work();
      perTurn.push(perTurn.pop()! + 1);
    };
    let next = setImmediate(function turn() {
      perTurn.push(0);
      next = setImmediate(turn);
    });
    client.exec("any", () => undefined);
    try {
      await eventually(() => expect(perTurn.reduce((sum, count) => sum + count, 0)).toBe(packets));
    } finally {
      clearImmediate(next);
    }
  };
  await withServer({}, read, flood);
  expect(Math.max(...perTurn)).toBeLessThan(1_000);
});

test("logInNow verifies no keys that a server announces", async () => {
  const lines: string[] = [];
  const requests = () => lines.filter((line) => /^Inbound: .*(GLOBAL_REQUEST|REQUEST_(SUCCESS|FAILURE))/.test(line));
  const serve: Serve = (connection) =>
    connection.on("ready", () => {
      const { _protocol: protocol } = partsOf(connection);
      protocol._debug = (line) => lines.push(line);
      const name = "hostkeys-00@openssh.com";
      const key = (utils.parseKey(makeKeyPair().public) as ParsedKey).getPublicSSH();
      const { write } = protocol._packetRW;
      const packet = write.alloc(1 + 4 + name.length + 1 + 4 + key.length);
      packet[write.allocStart] = 80;
      let at = packet.writeUInt32BE(name.length, write.allocStart + 1);
      at += packet.write(name, at);
      at = packet.writeUInt8(1, at);
      packet.set(key, packet.writeUInt32BE(key.length, at));
      protocol._cipher.encrypt(write.finalize(packet));
    });
  await withServer({}, () => eventually(() => expect(requests()).not.toEqual([])), serve);
  expect(requests()).toEqual(["Inbound: Received REQUEST_FAILURE"]);
});

test("a server that asks for new keys without end is disconnected", async () => {
  let exchanges = 0;
  const serve: Serve = (connection) => {
    const again = (error?: Error) => {
      exchanges++;
      if (!error) connection.rekey(again);
    };
    connection.on("ready", again);
  };
  const read = async (client: Client) => expect(await errorsOf(client)).toEqual(["Host denied (verification failed)"]);
  await withServer({}, read, serve);
  expect(exchanges).toBe(200);
});

test.each<[string, boolean]>([
  ["does not read", false],
  ["does not end a key exchange", true],
])("a server that %s is disconnected before the client holds much more than 64 MiB", async (_what, changesKeys) => {
  const serve: Serve = (connection) =>
    connection.on("session", (accept) =>
      accept().on("exec", (begin) => {
        const channel = begin() as unknown as { readonly outgoing: { readonly id: number } };
        partsOf(connection)._protocol.channelWindowAdjust(channel.outgoing.id, 2 ** 30);
        if (changesKeys) connection.rekey();
        partsOf(connection)._sock.pause();
      }),
    );
  const write = async (client: Client) => {
    const errors = errorsOf(client);
    const { _sock: socket, _protocol: protocol } = partsOf(client);
    const channel = await execute(client);
    const { outgoing } = channel as unknown as { readonly outgoing: { readonly window: number } };
    await eventually(() => expect(outgoing.window).toBeGreaterThanOrEqual(2 ** 30));
    await eventually(() => expect(protocol._kexinit !== undefined).toBe(changesKeys));
    const held = Array.from({ length: 80 }, () => {
      channel.write(Buffer.alloc(1024 ** 2));
      return (protocol._queue ?? []).reduce((sum, { length }) => sum + length, socket.writableLength);
    });
    expect(Math.max(...held)).toBeLessThan(maxUnsentBytes + 2 * 1024 ** 2);
    expect(await errors).toEqual(["The server does not read what it is sent"]);
  };
  await withServer({}, write, serve);
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
    const closed = errorsOf(client);
    const channel = await execute(client);
    const errors = await closed;
    expect(channel[name].readableLength).toBeGreaterThanOrEqual(windowBytes - packetSize);
    expect(channel[name].readableLength).toBeLessThanOrEqual(2 * windowBytes);
    expect(errors).toEqual(["The server sent more data than the window allows"]);
  };
  await withServer({}, read, serve);
});
