const schemes = ["http:", "https:", "sftp:"];

/** Returns what is wrong with a download URL. Does not resolve its host: each connection checks the address. */
export function downloadUrlComplaints(text: string, blocked: (url: URL) => boolean): string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !schemes.includes(url.protocol)) return ["Download_url invalid url scheme"];
  const lacksPassword = url.protocol === "sftp:" && url.password === "";
  return [
    ...(lacksPassword ? ["Download_url missing password from SFTP URL"] : []),
    ...(blocked(url) ? ["Download_url address not allowed"] : []),
  ];
}

export function maskedUrl(text: string): string {
  const url = new URL(text);
  if (url.password === "") return text;
  url.password = "xxxxxx";
  return url.href;
}
