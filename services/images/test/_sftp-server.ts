import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type Connection, Server, utils } from "ssh2";

const { OPEN_MODE, STATUS_CODE } = utils.sftp;
// Not the library's own generator: it cannot read about one in 300 of its Ed25519 keys.
const { privateKey: hostKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
  publicKeyEncoding: { type: "pkcs1", format: "pem" },
});

/** The server's behaviour. */
export interface Habits {
  readonly files: Readonly<Record<string, Buffer>>;
  /** The most bytes it returns for one read. */
  readonly mostBytes?: number;
  /** Accept the password only as keyboard-interactive. */
  readonly dialogue?: boolean;
  /** Close the first connection after this many reads. */
  readonly readsBeforeHangUp?: number;
  /** Report a different file time at each fstat. */
  readonly changes?: boolean;
}

const expected = { username: "ada", password: "s cret" };

/** An SFTP server that accepts the user ada and serves these files. */
export async function anSftpServer(habits: Habits) {
  const { files, mostBytes = Infinity, dialogue = false, readsBeforeHangUp, changes = false } = habits;
  const opened: string[] = [];
  const readFrom: number[] = [];
  let mtime = 1_700_000_000;
  let readsLeft = readsBeforeHangUp ?? Number.NaN;
  let connections = 0;

  const serve = (connection: Connection) => {
    connections++;
    connection.on("error", () => {});
    connection.on("authentication", (attempt) => {
      const enter = (password: string | undefined) =>
        attempt.username === expected.username && password === expected.password ? attempt.accept() : attempt.reject();
      if (dialogue && attempt.method === "keyboard-interactive")
        return attempt.prompt([{ prompt: "Password: ", echo: false }], (answers) => enter(answers?.[0]));
      if (!dialogue && attempt.method === "password") return enter(attempt.password);
      attempt.reject([dialogue ? "keyboard-interactive" : "password"]);
    });
    connection.on("session", (accept) => {
      accept().on("sftp", (acceptSftp) => {
        const sftp = acceptSftp();
        const handles: Buffer[] = [];
        let reads = 0;
        sftp.on("FSTAT", (id, handle) => {
          const size = handles[handle[0]!]!.length;
          if (changes) mtime++;
          sftp.attrs(id, { mode: 0o100644, uid: 0, gid: 0, size, atime: mtime, mtime });
        });
        sftp.on("OPEN", (id, path, flags) => {
          opened.push(path);
          const file = files[path];
          if (!file || !(flags & OPEN_MODE.READ))
            return sftp.status(id, path === "/forbidden" ? STATUS_CODE.PERMISSION_DENIED : STATUS_CODE.NO_SUCH_FILE);
          sftp.handle(id, Buffer.from([handles.push(file) - 1]));
        });
        sftp.on("READ", (id, handle, offset, length) => {
          if (reads++ === 0) readFrom.push(offset);
          if (--readsLeft === 0) return connection.end();
          const piece = handles[handle[0]!]!.subarray(offset, offset + Math.min(length, mostBytes));
          if (piece.length === 0) sftp.status(id, STATUS_CODE.EOF);
          else sftp.data(id, piece);
        });
      });
    });
  };

  const server = new Server({ hostKeys: [hostKey] }, serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: (path: string) => `sftp://ada:s%20cret@127.0.0.1:${port}${path}`,
    /** The requested paths. */
    opened,
    /** The offset of the first read of each connection. */
    readFrom,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
