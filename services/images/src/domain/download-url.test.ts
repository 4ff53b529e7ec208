import { downloadUrlComplaints, maskedUrl } from "./download-url.js";

const scheme = "Download_url invalid url scheme";
const password = "Download_url missing password from SFTP URL";
const address = "Download_url address not allowed";

describe("checking a URL", () => {
  const inside = (url: URL) => url.hostname === "inside";

  test.each<[string, string[]]>([
    ["http://images.test/disk", []],
    ["HTTPS://images.test:8443/disk?a=b", []],
    ["sftp://ada:secret@images.test/disk?timeout=5", []],
    ["ftp://images.test/disk", [scheme]],
    ["file:///etc/passwd", [scheme]],
    ["images.test/disk", [scheme]],
    ["", [scheme]],
    ["http://", [scheme]],
    ["sftp://ada@images.test/disk", [password]],
    ["sftp://ada:@images.test/disk", [password]],
    ["http://inside/disk", [address]],
    ["sftp://inside/disk", [password, address]],
  ])("checks %s", (url, complaints) => expect(downloadUrlComplaints(url, inside)).toEqual(complaints));
});

describe("masking a URL", () => {
  test.each([
    ["http://images.test", "http://images.test"],
    ["http://ada@images.test/a b", "http://ada@images.test/a b"],
    ["sftp://ada:secret@images.test/disk?timeout=5", "sftp://ada:xxxxxx@images.test/disk?timeout=5"],
    ["http://ada:a@b:c@images.test/", "http://ada:xxxxxx@images.test/"],
    ["http:\\\\ada:secret@images.test\\disk", "http://ada:xxxxxx@images.test/disk"],
    ["\thttp://ada:se\ncret@images.test/", "http://ada:xxxxxx@images.test/"],
  ])("masks only the password of %s", (url, masked) => expect(maskedUrl(url)).toBe(masked));
});
