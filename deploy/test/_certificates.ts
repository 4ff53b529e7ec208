import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folders, writeCertificates } from "@ci/certificates/write";

export const ownUser = { uid: process.getuid!(), gid: process.getgid!(), pauseMs: 0 };

/** Returns a new folder with a folder for each certificate, as Compose mounts them. */
export function certificateFolders(): string {
  const dir = mkdtempSync(join(tmpdir(), "ci-certificates-"));
  for (const name of folders) mkdirSync(join(dir, name));
  return dir;
}

/** Returns a new folder with the certificates of an installation. */
export async function installedCertificates(): Promise<string> {
  const dir = certificateFolders();
  await writeCertificates(dir, ownUser);
  return dir;
}
