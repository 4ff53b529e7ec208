import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The address that `npm start` prints, and that the pages use. */
export const url = "http://127.0.0.1:8080";

/** Returns the blocks of shell lines on a page, with the driver that it offers to readers without Docker. */
export const blocksOf = (page: string): string[] =>
  [...readFileSync(join(__dirname, "../../..", page), "utf8").matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) =>
    lines!.replace(/driver: \{type: docker, [^}]*\}/, "driver: {type: os}"),
  );
