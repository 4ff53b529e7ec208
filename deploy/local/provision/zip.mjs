// Reads one file from a zip archive without an unzip program.
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const stored = 0;

/**
 * Returns the first file in the archive with a wanted name.
 * @param {Buffer} archive
 * @param {(name: string) => boolean} wanted
 * @returns {Promise<Buffer>}
 */
export const unzipOne = async (archive, wanted) => {
  for (const entry of entries(archive)) if (wanted(entry.name)) return bytesOf(archive, entry);
  throw new Error("The archive does not contain the expected file");
};

/**
 * @typedef {{ name: string, method: number, packedBytes: number, headerAt: number }} Entry
 * @param {Buffer} archive
 * @returns {Generator<Entry>}
 */
function* entries(archive) {
  let at = archive.readUInt32LE(endOf(archive) + 16);
  while (archive.readUInt32LE(at) === entrySignature) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field));
    yield {
      name: archive.toString("utf8", at + 46, at + 46 + nameBytes),
      method: archive.readUInt16LE(at + 10),
      packedBytes: archive.readUInt32LE(at + 20),
      headerAt: archive.readUInt32LE(at + 42),
    };
    at += 46 + nameBytes + extraBytes + commentBytes;
  }
}

/**
 * Returns the offset of the end record. Only a comment of at most 64 KiB may follow it.
 * @param {Buffer} archive
 */
const endOf = (archive) => {
  for (let at = archive.length - 22; at >= Math.max(0, archive.length - 22 - 0xffff); at--)
    if (archive.readUInt32LE(at) === endSignature) return at;
  throw new Error("This is not a zip archive");
};

/**
 * @param {Buffer} archive
 * @param {Entry} entry
 * @returns {Promise<Buffer>}
 */
const bytesOf = async (archive, { method, packedBytes, headerAt }) => {
  // The local header repeats the name. Its extra field may differ in length from that in the directory.
  const start = headerAt + 30 + archive.readUInt16LE(headerAt + 26) + archive.readUInt16LE(headerAt + 28);
  const packed = archive.subarray(start, start + packedBytes);
  return method === stored ? packed : promisify(inflateRaw)(packed);
};
