import { encrypt, parseKeys } from "@ci/kit/security/secrets";
import { imageScopes, type NamedImage, readTicket, writeTicket } from "./image-ticket.js";

const keyring = parseKeys(`a:${Buffer.alloc(32, 1).toString("base64")}`);
const another = parseKeys(`a:${Buffer.alloc(32, 2).toString("base64")}`);
const image = { name: "disk", userId: 1, namespaceId: 2, ancestorIds: [4, 3], namespaceOnly: false };
const until = new Date(1_000);
const before = new Date(999);
const ticket = writeTicket(keyring, image, until);

test("a ticket names its image until its time is over", () => {
  expect(readTicket(keyring, ticket, before)).toEqual(image);
  expect(() => readTicket(keyring, ticket, until)).toThrow("The ticket for the image is not valid");
});

test.each<[string, Partial<NamedImage>, string[]]>([
  ["its namespace, those above it and its user", {}, ["n2", "n3", "n4", "u1"]],
  ["its namespaces only", { namespaceOnly: true }, ["n2", "n3", "n4"]],
  ["its own namespace, if the ticket is of an older version", { ancestorIds: undefined }, ["n2", "u1"]],
  ["its user, if it has left its namespace", { namespaceId: undefined }, ["u1"]],
  [
    "nothing, if it has left the only place whose images it may use",
    { namespaceId: undefined, namespaceOnly: true },
    [],
  ],
])("a build may use the images of %s", (_whose, change, scopes) => {
  expect(imageScopes({ ...image, ...change })).toEqual(scopes);
});

test.each([
  ["no ticket", undefined],
  ["an empty ticket", ""],
  ["a changed ticket", ticket.slice(0, -8) + ticket.slice(-8).split("").reverse().join("")],
  ["a ticket of another key", writeTicket(another, image, until)],
  ["another value of the same key", encrypt(keyring, JSON.stringify(image), { kind: "variable", id: 1 })],
  ["a value that is no ticket", encrypt(keyring, "{}", { kind: "image ticket", id: "" })],
])("refuses %s", (_what, text) => {
  expect(() => readTicket(keyring, text, before)).toThrow(expect.objectContaining({ code: "forbidden" }));
});
