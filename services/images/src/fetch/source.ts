import * as querystring from "node:querystring";

/** The content of an image on its way from another server. Dispose of it to hang up. */
export interface Source extends AsyncDisposable {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Where in the content they begin: where it was asked for, or 0. */
  readonly from: number;
  /** The size of the whole content, if the server has told it. */
  readonly total?: number | undefined;
  /** What to name when asking for the rest of it, should it break off; absent if the server would not understand. */
  readonly validator?: string | undefined;
}

/** User and password of a URL in plain text; what is no percent-encoding stays as it is. */
export const credentials = ({ username, password }: URL) => ({
  username: querystring.unescape(username),
  password: querystring.unescape(password),
});

/** The path of a URL in plain text. */
export const plainPath = ({ pathname }: URL): string => querystring.unescape(pathname);
