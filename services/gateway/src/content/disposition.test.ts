import { parse } from "content-disposition";
import { disposition } from "./disposition.js";

test.each([
  ["app.tar.gz", "attachment; filename=app.tar.gz"],
  ["dist/app 1.bin", 'attachment; filename="app 1.bin"'],
  ["a;b", 'attachment; filename="a;b"'],
  ["grüße.txt", "attachment; filename=gr__e.txt; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt"],
  ['a"b', "attachment; filename=a_b; filename*=UTF-8''a%22b"],
  ["100%41", "attachment; filename=100_41; filename*=UTF-8''100%2541"],
  [".env", "attachment; filename=.env"],
])("disposition returns the header for %s", (name, expected) => expect(disposition(name)).toBe(expected));

test.each([
  ["a\r\nSet-Cookie: b=c", "a__Set-Cookie: b=c"],
  ["..\\..\\windows\\win.ini", "win.ini"],
  ["/etc/passwd", "passwd"],
  ["a/..", "download"],
  ["a/.", "download"],
  ["a/", "download"],
  ["invoice\u202etxt.exe", "invoice_txt.exe"],
  ["\ud800", "_"],
  ["\0", "_"],
  [`${"x".repeat(300)}.zip`, `${"x".repeat(196)}.zip`],
  ["é".repeat(300), "é".repeat(200)],
])("a client saves %j as %j", (name, file) => {
  const header = disposition(name);
  expect(parse(header).parameters.filename).toBe(file);
  expect(header).toMatch(/^[\x20-\x7e]+$/);
});

test("the header of inline content has a name too", () => {
  expect(disposition("ann-7.log", "inline")).toBe("inline; filename=ann-7.log");
});
