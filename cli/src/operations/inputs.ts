import { bool, file, flag, one, optional, secret, text } from "../command.js";
import { get, type Operations, post, resource } from "./operation.js";

const name = one("Name");

const vars = resource({
  one: "a variable",
  many: "variables, by key",
  path: "/variables",
  within: "{namespace}/-/variables",
  field: "key",
  searches: true,
  columns: ["id", "key", "value", "masked", "namespace", "created_at"],
});
const keys = resource({
  one: "an SSH key",
  many: "SSH keys, by name",
  path: "/keys",
  within: "{namespace}/-/keys",
  field: "name",
  searches: true,
  columns: ["id", "name", "namespace", "created_at"],
});
const objects = resource({
  one: "an object",
  many: "objects, by name",
  path: "/objects",
  within: "{namespace}/-/objects",
  field: "name",
  searches: true,
  columns: ["id", "name", "size", "type", "namespace", "created_at"],
});
const images = resource({
  one: "a disk image",
  many: "disk images, by name",
  path: "/images",
  within: "{namespace}/-/images",
  field: "name",
  searches: true,
  columns: ["id", "name", "driver", "namespace", "created_at"],
});
const cron = resource({
  one: "a cron job",
  many: "cron jobs, by name",
  path: "/cron",
  field: "name",
  searches: true,
  columns: ["id", "name", "schedule", "timezone", "next_run", "last_error", "namespace"],
});

const config = file("SSH client settings");
const schedule = text("hourly, daily, weekly, monthly or five fields such as '30 4 * * 1-5'");
const timezone = text("IANA time zone of the schedule, such as Europe/Berlin; default: UTC");
const manifest = file("Manifest of the builds; it also names the namespace", { short: "m" });
const ofBuilds = {
  columns: ["build", "status", "namespace", "comment", "time", "created_at"],
  names: "build",
  hasOutput: true,
};

/** Inputs of builds, and cron jobs. */
export const inputs = {
  "vars list": vars.list(),
  "vars show": vars.show(),
  "vars create": vars.create(
    { key: one("Name of the environment variable") },
    {
      value: secret("The value, - for standard input", { required: true }),
      mask: flag("Hide the value from responses and output"),
    },
  ),
  "vars update": vars.update({
    value: secret("New value, - for standard input"),
    mask: bool("Whether the value is hidden"),
  }),
  "vars delete": vars.remove(),

  "keys list": keys.list(),
  "keys show": keys.show(),
  "keys create": keys.create(
    { name },
    { key: file("The private key, without passphrase", { required: true }), config },
  ),
  "keys update": keys.update({ config }, "Change the configuration of an SSH key"),
  "keys delete": keys.remove(),

  "objects list": objects.list(),
  "objects show": objects.show(),
  "objects create": objects.create({ name, file: one("File to upload, - for standard input") }, {}, { upload: "file" }),
  "objects builds": get("/objects/{id}/builds", "List the builds that used an object", {
    ...objects.single,
    ...ofBuilds,
  }),
  "objects delete": objects.remove(),

  "images list": images.list(),
  "images show": images.show(),
  "images create": images.create(
    { name, file: optional("File to upload, - for standard input") },
    { download_url: text("URL from which the server downloads the image instead") },
    { upload: "file" },
  ),
  "images delete": images.remove(),

  "cron list": cron.list(),
  "cron show": cron.show(),
  "cron create": cron.create({ name }, { schedule, timezone, manifest: { ...manifest, required: true } }),
  "cron update": cron.update({ name: text("New name"), schedule, timezone, manifest }),
  "cron delete": cron.remove(),
  "cron run": post("/cron/{id}/run", "Submit the build of a cron job now", { ...cron.single, names: "build" }),
  "cron builds": get("/cron/{id}/builds", "List the builds of a cron job", { ...cron.single, ...ofBuilds }),
} satisfies Operations;
