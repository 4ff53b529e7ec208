import { targetErrors, targetKey } from "./target.js";

const closed = ["10.0.0.1", "[::1]", "localhost", "ci.localhost", "localhost.", "localhost.test"];
const blocked = ({ hostname }: URL) => closed.includes(hostname);

const required = "Payload URL field required";
const scheme = "Payload URL missing http or https scheme";
const host = "Payload URL missing host";
const local = "Payload URL cannot be localhost";
const address = "Payload URL address not allowed";
const credentials = "Payload URL cannot contain credentials";
const plain = "Payload URL cannot use SSL for plain http URL";

test.each<[string, boolean, string[]]>([
  ["https://example.com/in?x=1", true, []],
  ["http://example.com", false, []],
  ["HTTP://EXAMPLE.com:8080/", false, []],
  ["http://example.com/a@b", false, []],
  ["", true, [required]],
  ["example.com/in", false, [scheme]],
  ["//example.com/in", false, [scheme]],
  ["ftp://example.com", true, [scheme]],
  ["httpx://example.com", true, [scheme]],
  ["xhttp://example.com", true, [scheme]],
  [" http://example.com", false, [scheme]],
  ["http://", false, [host]],
  ["http:", false, [host]],
  ["http:example.com", false, [host]],
  ["http:///in", false, [host]],
  ["http://:80/", false, [host]],
  ["http://me@/in", false, [host]],
  ["http://me:pw@:80/in", false, [host]],
  ["http://?x", false, [host]],
  ["http://exa mple.com", false, [host]],
  ["http://example.com:99999/", false, [host]],
  ["http://localhost/in", false, [local]],
  ["http://LocalHost/in", false, [local]],
  ["http://localhost./in", false, [local]],
  ["http://ci.localhost:80/", false, [local]],
  ["http://localhost.test/", false, [address]],
  ["http://10.0.0.1/", false, [address]],
  ["http://0x0a000001/", false, [address]],
  ["http://[::1]/", false, [address]],
  ["http://me:pw@example.com/", false, [credentials]],
  ["http://example.com/", true, [plain]],
  ["http://me@localhost/", true, [local, credentials, plain]],
])("checks %j with ssl %p", (payloadUrl, ssl, complaints) => {
  expect(targetErrors({ payloadUrl, ssl }, blocked)).toEqual(complaints);
});

test.each([
  ["http://EXAMPLE.com", "http://example.com:80/", true],
  ["HTTPS://example.com:443/in", "https://example.com/in", true],
  ["https://example.com/in", "https://example.com/IN", false],
  ["https://example.com/in", "http://example.com/in", false],
  ["https://example.com/in", "https://example.com:8443/in", false],
  ["https://example.com/in?a", "https://example.com/in?b", false],
])("%s and %s are the same address: %p", (first, second, same) => {
  expect(targetKey(first) === targetKey(second)).toBe(same);
});
