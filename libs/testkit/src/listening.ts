import { readdir, readFile, readlink } from "node:fs/promises";

/** A listening TCP socket of this machine. */
interface Listening {
  readonly inode: string;
  readonly port: number;
}

const TCP_LISTEN = "0A";

const inodeOf = /^socket:\[(\d+)\]$/;

/** Returns all IPv4 listeners; Linux only. */
export async function listening(): Promise<Listening[]> {
  const lines = (await readFile("/proc/net/tcp", "utf8")).trim().split("\n").slice(1);
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter((socket) => socket[3] === TCP_LISTEN)
    .map((socket) => ({ inode: socket[9]!, port: Number.parseInt(socket[1]!.split(":")[1]!, 16) }));
}

export async function listeningOf(pid: number): Promise<Listening[]> {
  const open = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(open.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
  const inodes = new Set(links.map((link) => inodeOf.exec(link)?.[1]));
  return (await listening()).filter(({ inode }) => inodes.has(inode));
}
