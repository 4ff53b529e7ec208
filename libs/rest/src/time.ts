const dayMs = 86_400_000;

let day = Number.NaN;
/** The date of `day`, up to the `T`. */
let dateText = "";

const padded = (value: number, digits: number): string => String(value).padStart(digits, "0");
const twoDigits = Array.from({ length: 60 }, (_, value) => padded(value, 2));

/** Like `toISOString`, but several times faster, because most times in a response are on one day. */
function isoText(at: Date): string {
  const ms = at.getTime();
  const ofDay = Math.floor(ms / dayMs);
  if (ofDay !== day) {
    dateText = at.toISOString().slice(0, -13);
    day = ofDay;
  }
  const rest = ms - ofDay * dayMs;
  const seconds = Math.floor(rest / 1_000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}`;
  return `${dateText}${clock}.${padded(rest % 1_000, 3)}Z`;
}

/** Returns RFC 3339 in UTC with milliseconds; null for a time that is not set. */
export const timeOrNull = (at: Date | undefined): string | null => (at ? isoText(at) : null);

/** Formats a time that every stored record has, although the types generated from the proto make it optional. */
export const time = (at: Date | undefined): string => timeOrNull(at) as string;
