import { hasMagic, knownVersion, readHeader, unreadable, versionOf } from "@ci/qcow2/header";

const inGiB = (bytes: number): number => Number((bytes / 1024 ** 3).toPrecision(6));

/** Returns what is wrong with an image by its first bytes; `virtualBytes` is the largest accepted disk. */
export function contentComplaints(head: Buffer, { virtualBytes }: { readonly virtualBytes: number }): string[] {
  if (!hasMagic(head)) return ["File not a valid QCOW2 file format"];
  const version = versionOf(head);
  if (version !== undefined && !knownVersion(version)) return [`File ${unreadable(`version ${version}`)}`];
  const header = readHeader(head);
  if (!header) return [];
  return [
    ...(header.backingFile ? ["File cannot have a backing file"] : []),
    ...(header.externalData ? ["File cannot have an external data file"] : []),
    ...(header.virtualBytes > BigInt(virtualBytes)
      ? [`File virtual size cannot exceed ${inGiB(virtualBytes)} GiB`]
      : []),
  ];
}

export const fileTooLarge = (limitBytes: number): string => `file too large, cannot exceed ${inGiB(limitBytes)} GB`;
