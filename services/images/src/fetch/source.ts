import * as querystring from "node:querystring";

/** An image's content as another server sends it. Disposing of it closes the connection. */
export interface Source extends AsyncDisposable {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The offset of the first byte: the requested one, or 0. */
  readonly from: number;
  readonly total?: number | undefined;
  /** Identifies this version of the content when resuming; absent if the server cannot resume. */
  readonly validator?: string | undefined;
}

/** Returns the decoded user and password of a URL. Invalid percent-encoding stays as it is. */
export const credentials = ({ username, password }: URL) => ({
  username: querystring.unescape(username),
  password: querystring.unescape(password),
});

export const plainPath = ({ pathname }: URL): string => querystring.unescape(pathname);
