import { ApiError, errorOf } from "@service-ci/client";
import { base } from "./api.js";
import { size } from "./format.js";

export interface Sent {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

interface UploadOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (sent: Sent) => void;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns an error for a connection that broke during the upload. */
const broken = ({ sentBytes, totalBytes }: Sent) =>
  new ApiError(
    0,
    `The connection broke after ${size(sentBytes)} of ${size(totalBytes)}. The file may be larger than the server accepts; if not, try again`,
  );

/**
 * Uploads a file and returns its record. The browser reads the file as it sends it. XMLHttpRequest is the one way in all
 * browsers to see how much has been sent.
 */
export function upload<T>(
  path: string,
  query: Readonly<Record<string, string>>,
  file: File,
  { signal, onProgress }: UploadOptions,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let sent: Sent = { sentBytes: 0, totalBytes: file.size };
    request.upload.onprogress = ({ loaded, total }) => {
      sent = { sentBytes: loaded, totalBytes: total };
      onProgress(sent);
    };
    request.onload = () => {
      const { status, statusText } = request;
      const body = jsonOf(request.responseText);
      if (status === 201) return resolve(body as T);
      const id = request.getResponseHeader("x-request-id");
      reject(errorOf(new Response(null, { status, statusText, headers: id ? { "x-request-id": id } : {} }), body));
    };
    request.onerror = () => reject(sent.sentBytes > 0 ? broken(sent) : new TypeError("No connection"));
    request.onabort = () => reject(new ApiError(0, "You cancelled the upload"));
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", `${base}${path}?${new URLSearchParams(query)}`);
    request.setRequestHeader("Accept", "application/json");
    // The type of some files would announce fields instead of a file.
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  });
}
