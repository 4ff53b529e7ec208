const sectorBytes = 512;
/** 64 KiB: a boot sector, two one-sector FATs, a one-sector root directory, then files. */
const sectors = 128;
const firstDataSector = 4;
/** Clusters are one sector each and numbered from 2. */
const firstCluster = 2;
const endOfChain = 0xfff;

interface SeedFile {
  readonly name: string;
  /** The 8.3 name that each file has besides its real one. */
  readonly shortName: string;
  readonly content: Buffer;
}

/**
 * Builds a NoCloud seed disk (FAT12, label `cidata`) that gives cloud-init root's public key.
 * (https://cloudinit.readthedocs.io/en/latest/reference/datasources/nocloud.html)
 */
export function seedDisk(publicKey: string, instance: string): Buffer {
  const userData = ["#cloud-config", "disable_root: false", "ssh_authorized_keys:", `  - ${publicKey}`, ""].join("\n");
  const metaData = [`instance-id: ${instance}`, ""].join("\n");
  return fileSystem("cidata", [
    { name: "user-data", shortName: "USER-D~1   ", content: Buffer.from(userData) },
    { name: "meta-data", shortName: "META-D~1   ", content: Buffer.from(metaData) },
  ]);
}

function fileSystem(label: string, files: readonly SeedFile[]): Buffer {
  const disk = Buffer.alloc(sectors * sectorBytes);
  bootSector(label).copy(disk);
  const table: number[] = [0xff8, endOfChain];
  const entries: Buffer[] = [shortEntry(label.padEnd(11), { attributes: 0x08, cluster: 0, sizeBytes: 0 })];
  let cluster = firstCluster;
  for (const { name, shortName, content } of files) {
    content.copy(disk, (firstDataSector + cluster - firstCluster) * sectorBytes);
    entries.push(longEntry(name, shortName));
    entries.push(shortEntry(shortName, { attributes: 0x20, cluster, sizeBytes: content.length }));
    const next = cluster + Math.ceil(content.length / sectorBytes);
    for (; cluster < next; cluster++) table[cluster] = cluster + 1 < next ? cluster + 1 : endOfChain;
  }
  for (const sector of [1, 2]) packTable(table).copy(disk, sector * sectorBytes);
  Buffer.concat(entries).copy(disk, 3 * sectorBytes);
  return disk;
}

/** Fields as in Microsoft's "FAT: General Overview of On-Disk Format". */
function bootSector(label: string): Buffer {
  const sector = Buffer.alloc(sectorBytes);
  sector.write("\xeb\x3c\x90MSWIN4.1", "latin1");
  sector.writeUInt16LE(sectorBytes, 11);
  sector.writeUInt8(1, 13); // sectors a cluster
  sector.writeUInt16LE(1, 14); // reserved sectors
  sector.writeUInt8(2, 16); // copies of the table
  sector.writeUInt16LE(sectorBytes / 32, 17); // entries of the root directory
  sector.writeUInt16LE(sectors, 19);
  sector.writeUInt8(0xf8, 21); // a fixed disk
  sector.writeUInt16LE(1, 22); // sectors of a table
  sector.writeUInt16LE(32, 24); // sectors a track
  sector.writeUInt16LE(2, 26); // heads
  sector.writeUInt8(0x80, 36);
  sector.writeUInt8(0x29, 38); // the next three fields are there
  sector.writeUInt32LE(0x63690001, 39);
  sector.write(label.padEnd(11), 43, "latin1");
  sector.write("FAT12   ", 54, "latin1");
  sector.writeUInt16LE(0xaa55, 510);
  return sector;
}

interface EntryOf {
  readonly attributes: number;
  readonly cluster: number;
  readonly sizeBytes: number;
}

function shortEntry(name: string, { attributes, cluster, sizeBytes }: EntryOf): Buffer {
  const entry = Buffer.alloc(32);
  entry.write(name, "latin1");
  entry.writeUInt8(attributes, 11);
  entry.writeUInt16LE(cluster, 26);
  entry.writeUInt32LE(sizeBytes, 28);
  return entry;
}

function longEntry(name: string, shortName: string): Buffer {
  const entry = Buffer.alloc(32);
  const units = Buffer.alloc(26, 0xff);
  units.write(`${name}\0`, "utf16le");
  entry.writeUInt8(0x41, 0); // the first and the last part
  units.copy(entry, 1, 0, 10);
  entry.writeUInt8(0x0f, 11);
  entry.writeUInt8(checksum(shortName), 13);
  units.copy(entry, 14, 10, 22);
  units.copy(entry, 28, 22, 26);
  return entry;
}

const checksum = (shortName: string): number =>
  [...Buffer.from(shortName, "latin1")].reduce((sum, byte) => (((sum & 1) << 7) + (sum >> 1) + byte) & 0xff, 0);

/** Twelve bits per entry: two entries in three bytes. */
function packTable(entries: readonly number[]): Buffer {
  const sector = Buffer.alloc(sectorBytes);
  entries.forEach((value, index) => {
    const at = Math.floor((index * 3) / 2);
    const both = sector.readUInt16LE(at) | (index % 2 === 0 ? value : value << 4);
    sector.writeUInt16LE(both & 0xffff, at);
  });
  return sector;
}
