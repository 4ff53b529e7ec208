import { readdir, readFile, readlink } from "node:fs/promises";

/** How the kernel spells that a socket waits for connections. */
const listenState = "0A";

const inodeOf = /^socket:\[(\d+)\]$/;

/** All TCP sockets of this machine that listen, by inode: no other socket ever has the same. */
export async function listening(): Promise<Set<string>> {
  const lines = (await readFile("/proc/net/tcp", "utf8")).trim().split("\n").slice(1);
  const sockets = lines.map((line) => line.trim().split(/\s+/));
  return new Set(sockets.filter((socket) => socket[3] === listenState).map((socket) => socket[9]!));
}

/** Those that a process holds. */
export async function listeningOf(pid: number): Promise<string[]> {
  const all = await listening();
  const open = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(open.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
  return links.flatMap((link) => inodeOf.exec(link)?.[1] ?? []).filter((inode) => all.has(inode));
}
