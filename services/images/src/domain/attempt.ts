import { fixedLimit } from "@ci/kit/process/fixed-limit";

const crashed = "the service ended each time during the download; try again later";
const maxLost = fixedLimit({
  max: 5,
  about: "processes that crash, or lose MongoDB, while they download an image",
  refusal: crashed,
  effect: "the download fails for good",
});

/** Content types that a server may give an image. */
export const contentTypes: readonly string[] = ["application/x-qemu-disk", "application/octet-stream"];

/** Returns why a response cannot be an image; undefined if it can. */
export function responseComplaint(status: number, contentType: string | undefined): string | undefined {
  if (status !== 200) return `status ${status}`;
  const type = (contentType ?? "").replace(/;.*$/s, "").trim().toLowerCase();
  return type === "" || contentTypes.includes(type) ? undefined : "unexpected content type";
}

const transient =
  /^(timeout|connection (refused|reset)|host unreachable|name (not found|lookup failed)|network error|server too slow: .*|status (408|429|5\d\d))$/;

/** Returns why a download that lost so many processes is not attempted again; undefined if it is. */
export const lossComplaint = (lost = 0): string | undefined => (lost >= maxLost ? crashed : undefined);

/** Reports whether a retry may succeed after this failure. */
export const isTransient = (reason: string): boolean => transient.test(reason);

export const pauseAfter = (failures: number, firstMs: number): number => firstMs * 3 ** (failures - 1);
