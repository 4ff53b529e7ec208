import * as querystring from "node:querystring";

/** The content of an image on its way from another server. Dispose of it to hang up. */
export interface Source extends AsyncDisposable {
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** User and password of a URL in plain text; what is no percent-encoding stays as it is. */
export const credentials = ({ username, password }: URL) => ({
  username: querystring.unescape(username),
  password: querystring.unescape(password),
});

/** The path of a URL in plain text. */
export const plainPath = ({ pathname }: URL): string => querystring.unescape(pathname);
