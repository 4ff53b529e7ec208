import { type ByteLimit, byteComplaint } from "../mongo/byte-quota.js";
import { type CountLimit, countComplaint } from "../mongo/quota.js";
import type { Settings } from "./config.js";

const maxRecords = 1_000;

/** Reads how many records a user or a namespace may have, such as `CRON_JOBS_PER_USER` for `Cron jobs`. */
export function countLimit(s: Settings, records: string, per: CountLimit["per"], about = records): CountLimit {
  const name = `${records} per ${per}`.replaceAll(" ", "_").toUpperCase();
  const refusal = countComplaint({ records, per, max: "N" });
  const max = s.int(name, `most ${about.toLowerCase()} of one ${per}; 0: no limit`, maxRecords, { refusal });
  return { records, per, max };
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
