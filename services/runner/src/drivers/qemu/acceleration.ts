import { mkdtemp, open, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { User } from "../user.js";
import { nameFor } from "./leftovers.js";
import { type Acceleration, commonArguments, firstFileFd, startMachine } from "./machine.js";

const usualProofMs = 5_000;
/** QEMU exits with twice the value written to the exit device's port, plus one. */
const written = 0x10;
const expectedCode = 2 * written + 1;

const sectorBytes = 512;
/** The firmware reads no disk smaller than a cylinder. */
const diskBytes = 1024 * 1024;

/** A disk that ends the machine at once: `mov al, 0x10; out 0xf4, al; hlt; jmp $-1`. */
function bootDisk(): Buffer {
  const disk = Buffer.alloc(diskBytes);
  Buffer.from([0xb0, written, 0xe6, 0xf4, 0xf4, 0xeb, 0xfd]).copy(disk);
  disk.writeUInt16LE(0xaa55, sectorBytes - 2);
  return disk;
}

export const trialPrefix = "trial.";

interface Trial {
  readonly path: string;
  readonly folder: string;
  readonly user?: User;
  readonly proofMs?: number;
}

/** Reports whether a machine reaches its boot sector: KVM may open and still hang the guest after real mode. */
export async function canBoot(
  acceleration: Acceleration,
  { path, folder, user, proofMs = usualProofMs }: Trial,
): Promise<boolean> {
  const dir = await mkdtemp(join(folder, trialPrefix));
  try {
    await writeFile(join(dir, "disk"), bootDisk(), { mode: 0o600 });
    const disk = await open(join(dir, "disk"));
    const machine = startMachine({
      path,
      arguments: [
        ...["-name", nameFor(dir), ...commonArguments(acceleration)],
        ...["-m", "64M", "-device", "isa-debug-exit,iobase=0xf4,iosize=0x01"],
        ...["-add-fd", `fd=${firstFileFd},set=1`],
        ...["-blockdev", "driver=file,node-name=disk,read-only=on,filename=/dev/fdset/1"],
        ...["-device", "virtio-blk-pci,drive=disk"],
      ],
      files: [disk.fd],
      user,
    });
    await disk.close();
    const late = new AbortController();
    const code = await Promise.race([
      machine.ended.catch(() => -1),
      delay(proofMs, -1, { signal: late.signal }).catch(() => -1),
    ]);
    late.abort();
    await machine.end();
    return code === expectedCode;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

export async function mayUseKvm(user: User | undefined): Promise<User | undefined> {
  const device = await stat("/dev/kvm").catch(() => undefined);
  return user && device && device.gid !== 0 ? { ...user, gid: device.gid } : user;
}
