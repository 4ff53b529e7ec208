/** What the content of an image may be called by a server. */
export const contentTypes: readonly string[] = ["application/x-qemu-disk", "application/octet-stream"];

/** Why an answer is not the content of an image; undefined if it may be. */
export function answerComplaint(status: number, contentType: string | undefined): string | undefined {
  if (status !== 200) return `status ${status}`;
  const type = (contentType ?? "").replace(/;.*$/s, "").trim().toLowerCase();
  return type === "" || contentTypes.includes(type) ? undefined : "unexpected content type";
}

const passing =
  /^(timeout|connection (refused|reset)|host unreachable|name (not found|lookup failed)|network error|status (408|429|5\d\d))$/;

/** Whether what an attempt failed for may be over at the next one. */
export const mayPass = (reason: string): boolean => passing.test(reason);

/** How long to wait after so many failed attempts. */
export const pauseAfter = (failures: number, firstMs: number): number => firstMs * 3 ** (failures - 1);
