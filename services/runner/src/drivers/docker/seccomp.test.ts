import { seccompFor } from "./seccomp.js";
import { ordinaryCalls } from "./system-calls.js";

const old = {
  ServerVersion: "24.0.7",
  Architecture: "x86_64",
  SecurityOptions: ["name=apparmor", "name=seccomp,profile=builtin"],
};

test.each([
  ["an old Docker Engine", {}, true],
  [
    "an even older one, which calls its profile the default",
    { ServerVersion: "20.10.24+dfsg1", SecurityOptions: ["name=seccomp,profile=default"] },
    true,
  ],
  ["Docker Engine 25, whose own profile is as strict", { ServerVersion: "25.0.0" }, false],
  ["another engine", { ServerVersion: "4.9.3" }, false],
  [
    "an engine whose operator has chosen a profile",
    { SecurityOptions: ["name=seccomp,profile=/etc/docker/seccomp.json"] },
    false,
  ],
  ["an engine without seccomp", { SecurityOptions: null }, false],
  ["an engine on another processor", { Architecture: "s390x" }, false],
])("the profile of %s (%j) is replaced: %s", (_engine, changed, replaced) => {
  expect(seccompFor({ ...old, ...changed }) !== undefined).toBe(replaced);
});

test("the profile forbids io_uring, keyrings and user namespaces", () => {
  const { syscalls } = JSON.parse(seccompFor(old)!) as { syscalls: { names: string[] }[] };
  const named = new Set(syscalls.flatMap(({ names }) => names));
  const closed = ["io_uring_setup", "io_uring_enter", "keyctl", "add_key", "userfaultfd", "kexec_load", "pivot_root"];
  expect(closed.filter((name) => named.has(name))).toEqual([]);
  expect(ordinaryCalls).not.toContain("unshare");
  expect(new Set(ordinaryCalls).size).toBe(ordinaryCalls.length);
});
