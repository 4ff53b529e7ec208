const schemes = ["http:", "https:", "sftp:"];

/**
 * What is wrong with the URL of a download; `blocked` says whether its address may be connected to at all.
 * Only what stands in the URL is judged here: names are judged by what they resolve to, at each connection.
 */
export function downloadUrlComplaints(text: string, blocked: (url: URL) => boolean): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !schemes.includes(url.protocol)) return ["Download_url invalid url scheme"];
  const lacksPassword = url.protocol === "sftp:" && url.password === "";
  return [
    ...(lacksPassword ? ["Download_url missing password from SFTP URL"] : []),
    ...(blocked(url) ? ["Download_url address not allowed"] : []),
  ];
}

/** A URL as it may be shown: with any password replaced. */
export function shownUrl(text: string): string {
  const url = new URL(text);
  if (url.password === "") return text;
  url.password = "xxxxxx";
  return url.href;
}
