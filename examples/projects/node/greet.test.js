const assert = require("node:assert");
const { test } = require("node:test");
const { greet } = require("./greet.js");

test("greets by name", () => assert.strictEqual(greet(" Ada "), "Hello, Ada!"));
test("greets everybody", () => assert.strictEqual(greet(), "Hello, all of you!"));
