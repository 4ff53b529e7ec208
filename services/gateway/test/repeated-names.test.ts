import { constellation, type SignedUp } from "@ci/testkit/constellation";

const ci = constellation();
const letters = "can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number";
let ann: SignedUp;
beforeAll(async () => {
  ann = await ci.signUp();
});

/** Returns all records that the requests below could create. */
const allRecords = () =>
  Promise.all(["/objects", "/images", "/namespaces"].map(async (path) => (await ann.get(path)).json));

describe.each(["/objects", "/images"])("a form with a repeated name: %s", (path) => {
  const part = (name: string, value: string, more = "") =>
    `--x\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
  const send = (...parts: string[]) => {
    // Latin-1, since the magic bytes of images are not UTF-8.
    const body = Buffer.from([...parts, "--x--\r\n"].join(""), "latin1");
    return ann.send("POST", path, { body, headers: { "Content-Type": "multipart/form-data; boundary=x" } });
  };

  test("a wrong type hides no other mistake", async () => {
    const { status, json } = await send(part("name", "a"), part("name", "b"), part("namespace", "-f"));
    const namespace = [`Namespace name ${letters}`];
    const file = ["File field required"];
    expect([status, json]).toEqual([400, { name: ["Name must be a string"], namespace, file }]);
  });

  test("a wrong type alone prevents the creation", async () => {
    const before = await allRecords();
    const namespaces = [part("namespace", "one"), part("namespace", "two")];
    const file = part("file", "QFI\u00fb", '; filename="f"');
    const { status, json } = await send(part("name", "fine"), ...namespaces, file);
    expect([status, json]).toEqual([400, { namespace: ["Namespace must be a string"] }]);
    expect(await allRecords()).toEqual(before);
  });
});
