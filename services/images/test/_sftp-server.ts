import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Algorithms, type AuthContext, type Connection, Server, type SFTPWrapper, utils } from "ssh2";

const { OPEN_MODE, STATUS_CODE } = utils.sftp;
// The library cannot read about one in 300 of the Ed25519 keys that it generates.
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = { type: "pkcs1", format: "pem" } as const;

/** Returns a host key whose exponents are swapped, so that the public one is long. */
export function costlyKey(): string {
  const { e, d, ...key } = privateKey.export({ format: "jwk" });
  const swapped = { ...key, e: d!, d: e!, dp: e!, dq: e! };
  return createPrivateKey({ key: swapped, format: "jwk" }).export(pem).toString();
}

export interface SftpOptions {
  readonly files: Readonly<Record<string, Buffer>>;
  /** The most bytes that the server returns for one read. */
  readonly maxReadBytes?: number;
  /** Accepts the password only by keyboard-interactive authentication. */
  readonly keyboardInteractive?: boolean;
  /** How often it asks for the password in keyboard-interactive authentication. */
  readonly prompts?: number;
  /** Announces this many questions, and asks none. */
  readonly announcedPrompts?: number;
  /** The size of the handles of its files. */
  readonly handleBytes?: number;
  /** Closes the first connection after this many reads. */
  readonly readsBeforeHangUp?: number;
  /** Reports a different file time at each fstat. */
  readonly changes?: boolean;
  /** Responds to fstat in this way instead of with the file's size and time. */
  readonly onFstat?: (sftp: SFTPWrapper, requestId: number, connection: Connection) => void;
  /** Responds only to the read that the client needs next, with one byte less than requested. */
  readonly shrinks?: boolean;
  /** The algorithms that it accepts. */
  readonly algorithms?: Algorithms;
  readonly hostKey?: string;
}

interface Channel {
  readonly _protocol: { channelData(id: number, bytes: Buffer): void };
  readonly outgoing: { readonly id: number };
}

interface Protocol {
  readonly _cipher: { encrypt(packet: Buffer): void };
  readonly _packetRW: {
    readonly write: { readonly allocStart: number; alloc(size: number): Buffer; finalize(packet: Buffer): Buffer };
  };
}

function announce(prompts: number, attempt: AuthContext): void {
  const { _packetRW: rw, _cipher: cipher } = (attempt as unknown as { readonly _protocol: Protocol })._protocol;
  const packet = rw.write.alloc(1 + 4 * 4).fill(0, rw.write.allocStart);
  packet[rw.write.allocStart] = 60;
  packet.writeUInt32BE(prompts, rw.write.allocStart + 1 + 3 * 4);
  cipher.encrypt(rw.write.finalize(packet));
}

/** The library refuses to send long handles. */
function sendHandle(sftp: SFTPWrapper, id: number, handle: Buffer): void {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(9 + handle.length);
  head[4] = 102;
  head.writeUInt32BE(id, 5);
  head.writeUInt32BE(handle.length, 9);
  const { _protocol: protocol, outgoing } = sftp as unknown as Channel;
  protocol.channelData(outgoing.id, Buffer.concat([head, handle]));
}

const expected = { username: "ada", password: "s cret" };

/** Starts an SFTP server that accepts the user ada and serves these files. */
export async function anSftpServer(options: SftpOptions) {
  const { files, maxReadBytes = Infinity, keyboardInteractive = false, changes = false } = options;
  const prompts = Array.from({ length: options.prompts ?? 1 }, () => ({ prompt: "Password: ", echo: false }));
  const { handleBytes = 1, announcedPrompts, readsBeforeHangUp, onFstat, shrinks = false, algorithms = {} } = options;
  const { hostKey = privateKey.export(pem).toString() } = options;
  const opened: string[] = [];
  const readFrom: number[] = [];
  let mtime = 1_700_000_000;
  let readsLeft = readsBeforeHangUp ?? Number.NaN;
  let connections = 0;
  let ignored = 0;

  const serve = (connection: Connection) => {
    connections++;
    connection.on("error", () => {});
    connection.on("authentication", (attempt) => {
      const authenticate = (password: string | undefined) =>
        attempt.username === expected.username && password === expected.password ? attempt.accept() : attempt.reject();
      if (announcedPrompts !== undefined && attempt.method === "keyboard-interactive")
        return announce(announcedPrompts, attempt);
      if (keyboardInteractive && attempt.method === "keyboard-interactive")
        return attempt.prompt(prompts, (replies) => authenticate(replies?.[0]));
      if (!keyboardInteractive && attempt.method === "password") return authenticate(attempt.password);
      attempt.reject([keyboardInteractive ? "keyboard-interactive" : "password"]);
    });
    connection.on("session", (accept) => {
      accept().on("sftp", (acceptSftp) => {
        const sftp = acceptSftp();
        const handles: Buffer[] = [];
        let reads = 0;
        let needed = 0;
        sftp.on("FSTAT", (id, handle) => {
          if (onFstat) return onFstat(sftp, id, connection);
          const size = handles[handle[0]!]!.length;
          if (changes) mtime++;
          sftp.attrs(id, { mode: 0o100644, uid: 0, gid: 0, size, atime: mtime, mtime });
        });
        sftp.on("OPEN", (id, path, flags) => {
          opened.push(path);
          const file = files[path];
          if (!file || !(flags & OPEN_MODE.READ))
            return sftp.status(id, path === "/forbidden" ? STATUS_CODE.PERMISSION_DENIED : STATUS_CODE.NO_SUCH_FILE);
          const handle = Buffer.alloc(handleBytes, handles.push(file) - 1);
          if (handleBytes === 1) sftp.handle(id, handle);
          else sendHandle(sftp, id, handle);
        });
        sftp.on("READ", (id, handle, offset, length) => {
          if (reads++ === 0) readFrom.push(offset);
          if (--readsLeft === 0) return connection.end();
          if (shrinks && offset !== needed) return void ignored++;
          const most = shrinks ? length - 1 : Math.min(length, maxReadBytes);
          const piece = handles[handle[0]!]!.subarray(offset, offset + most);
          needed += piece.length;
          if (piece.length === 0) sftp.status(id, STATUS_CODE.EOF);
          else sftp.data(id, piece);
        });
      });
    });
  };

  const server = new Server({ hostKeys: [hostKey], algorithms }, serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (path: string) => `sftp://ada:s%20cret@127.0.0.1:${port}${path}`,
    /** The requested paths. */
    opened,
    /** The offset of the first read of each connection. */
    readFrom,
    connections: () => connections,
    /** Returns the number of reads without a response. */
    ignored: () => ignored,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
