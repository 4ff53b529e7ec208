import { flag, many, number, one, optional, pairs, type Spec, secret, text, texts } from "./command.js";
import { eventKinds } from "./event-kinds.js";
import { statuses } from "./statuses.js";

const build = optional("Number, alice/12, URL or last; default: last");
const theBuild = one("Number, alice/12, URL or last");
const manifest = optional("Manifest file, - for standard input; default: .service-ci.yml");
const variables = pairs("Variable of the build, KEY=VALUE; may be repeated", { short: "v" });
const follow = flag("Print the output until the end; exit with the build's exit code", { short: "f" });
const group = flag("Apply to all builds of the matrix");
const namespace = text("Namespace, path or path@owner", { short: "n" });
const into = text("Folder to write to; default: the current one", { short: "C" });
const force = flag("Replace files that differ");
const kind = texts("Only events of this kind; may be repeated", { short: "k", choices: eventKinds });
const after = text("Begin after the event with this id; 0: begin a day ago");
const content = { args: { id: one("Id or name") }, options: { namespace, into, force } };

/** The commands with their own module. */
export const specs = {
  login: {
    about: "Sign in to a server; reads the token from --token, standard input or the terminal",
    args: { address: one("Address of the server, such as https://ci.example.com") },
    options: {
      name: text("Name of the new context; default: the server's host, with the path if another server has that name"),
    },
  },
  logout: {
    about: "Forget a context and its token",
    args: { name: optional("Name of the context; default: the current one") },
  },
  "context list": { about: "List the contexts" },
  "context use": { about: "Make a context the current one", args: { name: one("Name of the context") } },
  "context remove": { about: "Forget a context and its token", args: { name: one("Name of the context") } },
  whoami: { about: "Show the current server and user" },

  submit: {
    about: "Submit a build",
    args: { manifest },
    options: {
      follow,
      var: variables,
      namespace: text("Namespace of the build, instead of the manifest's", { short: "n" }),
      comment: text("Comment on the build", { short: "m" }),
      tag: texts("Tag of the build; may be repeated", { short: "t" }),
    },
  },
  run: {
    about: "Run a build on this machine, without a server, with the files of the current folder",
    args: { manifest },
    options: {
      var: variables,
      secret: texts("Masked variable, KEY=VALUE or KEY to read it from the environment; may be repeated"),
      job: texts("Run only this job, after the setup; may be repeated", { short: "j" }),
      axis: texts("Run only builds of the matrix with this value, AXIS=VALUE; may be repeated"),
      event: text("Event for `when` conditions; default: manual", {
        choices: ["manual", "push", "pull", "schedule"],
      }),
      artifacts: text("Folder to keep artifacts in; default: they are not kept", { short: "a" }),
      keep: text("Folder to copy the working directory of the jobs to, after the build"),
      clone: flag("Clone the sources as the manifest says, instead of copying the current folder"),
      object: pairs("File to use for an object, NAME=FILE; may be repeated"),
      key: pairs("File of a private SSH key, NAME=FILE; may be repeated"),
      image: pairs("Disk to use for the image of a virtual machine, NAME=FILE; may be repeated"),
    },
  },
  lint: {
    about: "Check a manifest and show its jobs",
    args: { manifest: optional("Manifest file, - for standard input; default: all that a push would build") },
    options: { var: variables },
  },
  logs: {
    about: "Print the output of a build or of one job",
    args: { build },
    options: {
      follow,
      job: text("Name of the job", { short: "j" }),
      failed: flag("Print only the jobs that failed (also where failures are allowed), were killed or timed out"),
      timestamps: flag("Begin each line with the time when it was printed, in UTC", { short: "t" }),
    },
  },
  list: {
    about: "List builds, newest first",
    options: {
      namespace,
      status: text("Only builds with this status", { choices: statuses }),
      tag: text("Only builds with this tag", { short: "t" }),
      search: text("Only builds with a tag that contains this text"),
      limit: number("At most this many; default: 25"),
    },
  },
  show: { about: "Show a build and its jobs", args: { build } },
  kill: { about: "Kill a build", args: { build: theBuild }, options: { group } },
  restart: {
    about: "Submit a finished build again",
    args: { build },
    options: { follow, var: variables, group },
  },
  open: { about: "Open a build in the browser", args: { build } },
  "artifacts list": { about: "List the artifacts of a build", args: { build } },
  "artifacts download": {
    about: "Download artifacts and verify them; continues partial downloads",
    args: { build: theBuild, names: many("Names of the artifacts; default: all") },
    options: { into, force },
  },
  "objects download": { about: "Download an object and verify it; continues a partial download", ...content },
  "images download": { about: "Download a disk image; continues a partial download", ...content },
  events: {
    about: "Print the next event",
    args: { namespace: optional("Namespace, path or path@owner; all that you may see if missing") },
    options: {
      follow: flag("Print all events as they happen", { short: "f" }),
      kind,
      after,
    },
  },
  "webhooks forward": {
    about: "Send events as they happen to an address that this machine reaches, as a webhook does, but once each",
    args: { address: one("Address, such as http://localhost:3000") },
    options: {
      namespace: text("Namespace, path or path@owner", { short: "n", required: true }),
      secret: secret("Secret that requests are signed with, - for standard input"),
      kind,
      after,
    },
  },
  "webhooks headers": {
    about: "Show or change the headers that requests to a webhook carry; values are never shown",
    args: { id: one("Id or address") },
    options: {
      namespace: text("Namespace, path or path@owner", { short: "n", required: true }),
      set: texts(
        "Header to set, NAME=- for standard input; NAME=VALUE is visible in the list of processes and the shell's " +
          "history; may be repeated",
      ),
      from_env: texts("Header to set to a variable of the environment, NAME=VARIABLE; may be repeated"),
      remove: texts("Name of a header to remove; may be repeated"),
    },
  },
  "webhooks rate-limit": {
    about: "Show or change how many requests per second a webhook receives at most",
    args: { id: one("Id or address") },
    options: {
      namespace: text("Namespace, path or path@owner", { short: "n", required: true }),
      set: number("New limit, 1 to 1000"),
      remove: flag("Remove the limit"),
    },
  },
  queue: {
    about: "Show the queue and its history",
    options: { hours: text("Hours of history to show, 1 to 24; default: 3") },
  },
  completion: {
    about: "Print a script that completes commands in a shell",
    args: { shell: one("The shell", { choices: ["bash", "zsh", "fish"] }) },
  },
  __complete: { about: "Print completions of the last word", args: { words: many("Words of the line") }, hidden: true },
} as const satisfies Readonly<Record<string, Spec>>;

export type Specs = typeof specs;

export const groups: Readonly<Record<string, string>> = {
  context: "Servers where you are signed in",
  artifacts: "Files that a build produced",
};

export const aliases: Readonly<Record<string, string>> = { context: "contexts" };
