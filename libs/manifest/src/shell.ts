import { quoted } from "@ci/kit/rpc/fault";
import type { Complaints } from "./complaints.js";
import { type MaybePlaced, type Placed, type Spec, text } from "./spec.js";

/** A name, or an absolute path. The shell gets no options. */
const pattern = "(?:[A-Za-z0-9][\\w.+-]*|(?:/[\\w.+-]+)+)";
const shells = new RegExp(`^${pattern}$`);

export const shell: Spec<string> = { ...text, schema: { ...text.schema, pattern: `^\\s*${pattern}?\\s*$` } };

export function readShell(
  { at, value }: Placed<{ readonly shell?: MaybePlaced<string> }>,
  complain: Complaints,
): string | undefined {
  const given = value.shell?.value.trim() ?? "";
  if (given !== "" && !shells.test(given))
    complain.addAt(
      value.shell?.at ?? at,
      `shell must be a name or an absolute path, without options, not "${quoted(given)}"`,
    );
  return given === "" ? undefined : given;
}
