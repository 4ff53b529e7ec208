import { fixedLimit } from "../process/fixed-limit.js";

/** The patch of ssh2 enforces this one and `maxNamesAtOnce`. */
export const maxUnsentBytes = fixedLimit({
  max: 64 * 1024 ** 2,
  unit: "bytes",
  about: "what waits for an SSH server that does not read",
  effect: "the connection ends",
});
export const maxNamesAtOnce = fixedLimit({
  max: 1_000,
  about: "names in one response of an SFTP server",
  effect: "the SFTP session ends",
});
export const maxHandleBytes = fixedLimit({
  max: 256,
  unit: "bytes",
  about: "handle that an SFTP server gives to an open file or folder",
  effect: "the file or folder is not read or written",
});
