import { type ByteLimit, byteComplaint } from "../mongo/byte-quota.js";
import { type CountLimit, countComplaint } from "../mongo/quota.js";
import type { Settings } from "./config.js";

const maxRecords = 1_000;

/** Reads how many records a user or a namespace may have, such as `CRON_JOBS_PER_USER` for `Cron jobs`. */
export function countLimit(
  s: Settings,
  records: string,
  per: CountLimit["per"],
  about = `most ${records.toLowerCase()} of one ${per}`,
): CountLimit {
  const name = `${records} per ${per}`.replaceAll(" ", "_").toUpperCase();
  const refusal = countComplaint({ records, per, max: "N" });
  return { records, per, max: s.int(name, `${about}; 0: no limit`, maxRecords, { refusal }) };
}

/** Reads how many bytes of these records a user may store, such as `OBJECT_QUOTA`. */
export function byteLimit(
  s: Settings,
  name: string,
  fallback: string,
  limit: Omit<ByteLimit, "max"> & { readonly about: string },
): ByteLimit {
  const { records, remedy, about } = limit;
  return { records, remedy, max: s.size(name, about, fallback, { refusal: byteComplaint(limit, "N", "M") }) };
}
