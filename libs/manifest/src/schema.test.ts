// biome-ignore-all lint/suspicious/noTemplateCurlyInString: an axis is replaced in a text of this form
import Ajv from "ajv/dist/2020.js";
import { parse } from "yaml";
import { readManifest } from "./manifest.js";
import { manifestSchema } from "./schema.js";

const schema = manifestSchema("http://ci.test/manifest.schema.json");
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);
const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500 };

const docker = "driver: {type: docker, image: a, workspace: /b}";
test.each([
  "driver: {type: os}",
  `${docker}\nstages: [a]\njobs: [{stage: a, name: 1.5, commands: [make, 1, yes], artifacts: [x]}]`,
  `${docker}\nenv:\nobjects: ""\nsources: {}\njobs: []\nnamespace: []`,
  "driver: {type: docker, image: a, workspace: /b, pull: always}",
  "driver: {type: docker, image: a, workspace: /b, pull: never}",
  "driver: {type: qemu, image: a, arch: arm, keep_on_failure: 15}",
  "driver: {type: qemu}",
  "driver: {type: ssh}",
  "driver: {type: os, image: a}",
  "driver: docker",
  "{}",
  "driver:",
  `${docker}\nx: y`,
  `${docker}\njobs: [{script: [a]}]`,
  `${docker}\njobs: [{commands: a}]`,
  `${docker}\njobs: [[]]`,
  `${docker}\njobs: [{commands: [[a]]}]`,
  `${docker}\njobs: [{commands: [{a: b}]}]`,
  `${docker}\nenv: {A: b}`,
  `${docker}\nstages: a`,
  `${docker}\njobs: [{timeout: 10min, retry: 2}, {retry: {times: 1, codes: [75]}}, {timeout: , retry: {}}]`,
  `${docker}\njobs: [{timeout: 10}]`,
  `${docker}\njobs: [{stage: a, when: {status: failed}}, {stage: a, when: {status: [failed, passed]}}]\nparallel: [a]`,
  `${docker}\njobs: [{when: {status: never}}]`,
  `${docker}\njobs: [{when: {state: failed}}]`,
  `${docker}\njobs: [{timeout: soon}]`,
  `${docker}\njobs: [{retry: 6}]`,
  `${docker}\njobs: [{retry: {times: 1, codes: [256]}}]`,
  `${docker}\njobs: [{retry: {time: 1}}]`,
  `${docker}\njobs: [{retry: {codes: [75]}}]`,
  `${docker}\njobs: [{retry: {times: , codes: [75]}}]`,
  `${docker}\njobs: [{retry: {times: 0, codes: [75]}}, {retry: {times: , codes: }}, {retry: {codes: []}}]`,
  `${docker}\nservices: [{name: a, image: b}]\ncache: [{name: a, paths: [b]}]\nconcurrency: {group: a}`,
  `${docker}\nconcurrency:\nservices:\ncache: []\njobs: [{reports: [{junit: a}]}, {reports: }]\nsources: [a, {url: b}]`,
  ...["[{image: b}]", "[{name: a}]", "[{name: , image: b}]", '[{name: a, image: " "}]', "[{}]", "[null]"].map(
    (services) => `${docker}\nservices: ${services}`,
  ),
  ...["A", "' a '", "-a", "a_b", "a".repeat(63), "a".repeat(64), "true", "localhost", "127", "0x7f", "127a"].map(
    (name) => `${docker}\nservices: [{name: ${name}, image: b}]`,
  ),
  `${docker}\nservices: [{name: 'a\${A}', image: b}]\nmatrix: {A: [1]}`,
  ...["[{paths: [b]}]", "[{name: a}]", "[{name: a, paths: }]", "[{name: a, paths: []}]", "[{}]"].map(
    (cache) => `${docker}\ncache: ${cache}`,
  ),
  ...["{cancel: queued}", "{group: , cancel: queued}", "{group: ' '}", "{}"].map(
    (concurrency) => `${docker}\nconcurrency: ${concurrency}`,
  ),
  ...["[{}]", "[{junit: }]", "[null]"].map((reports) => `${docker}\njobs: [{reports: ${reports}}]`),
  ...["{ref: main}", "{url: }", "{}", "''"].map((source) => `${docker}\nsources: [${source}]`),
  ...["push", "pusch", "[push, pull]", "[push, pusch]", '"p*"', '"!push"', '"!pusch"', "[]", "[null]", '[""]'].map(
    (event) => `${docker}\nwhen: {event: ${event}}\njobs: [{when: {event: ${event}}}]`,
  ),
  ...["1", '"1"', "many", "0", '"0"', "-1", "1000001", ""].map(
    (depth) => `${docker}\nsources: [{url: a, depth: ${depth}}]`,
  ),
  ...["true", '"true"', "no", ""].map((flag) => `${docker}\nsources: [{url: a, submodules: ${flag}}]`),
  ...["1", '"60"', "0", "99", "soon", ""].map((kept) => `driver: {type: qemu, image: a, keep_on_failure: ${kept}}`),
  ...["bash", "/bin/sh", "bash -e", "-e", ""].map((shell) => `${docker}\njobs: [{shell: ${shell}}]`),
  ...[200, 201].flatMap((length) => {
    const name = "😀".repeat(length);
    return ["stages: [N]", "jobs: [{stage: N}]", "jobs: [{name: N}]"].map(
      (names) => `${docker}\n${names.replace("N", name)}`,
    );
  }),
  ...['"2"', '"x"', "-1", "{times: '1'}"].map((retry) => `${docker}\njobs: [{retry: ${retry}}]`),
  ...["stages: []", "jobs: [{env: [null]}]", "env: [null]"].map((list) => `${docker}\n${list}`),
  ...[
    "{NODE: [1]}",
    "{node-version: [1]}",
    "{A: [1], include: [{B-C: 1}]}",
    "{A: [1], exclude: [null]}",
    "{__proto__: [1]}",
  ].map((matrix) => `${docker}\nmatrix: ${matrix}`),
  ...["jobs: [null]", "jobs: [~, {}]", "jobs:\n-\n", "stages: [null]", "sources: [null]", "objects: [null]"].map(
    (list) => `${docker}\n${list}`,
  ),
  ...["commands: [null, ~]", "artifacts: [null]", "when: {branch: [null]}", "when: {status: [null]}"].map(
    (key) => `${docker}\njobs: [{${key}}]`,
  ),
  ...["driver: {type: ' docker ', image: a, workspace: /b, pull: ' always '}", "driver: {type: ' '}"],
  ...["' 5 '", "' '", "' 0 '"].map((kept) => `driver: {type: qemu, image: a, keep_on_failure: ${kept}}`),
  ...["queued", "", "never"].map((word) => `${docker}\nconcurrency: {group: a, cancel: ' ${word} '}`),
  ...["1", "0", ""].map((depth) => `${docker}\nsources: [{url: a, depth: ' ${depth} '}]`),
  ...["true", "", "yes"].map((flag) => `${docker}\nsources: [{url: a, submodules: ' ${flag} '}]`),
  ...["{status: ' failed '}", "{status: [' passed ', ' ', '']}", "{status: ' never '}"].map(
    (when) => `${docker}\njobs: [{when: ${when}}]`,
  ),
  ...["bash", "", "bash -e"].map((shell) => `${docker}\njobs: [{shell: ' ${shell} '}]`),
  ...["10min", "", "soon"].map((timeout) => `${docker}\njobs: [{timeout: ' ${timeout} '}]`),
  ...["2", "", "x"].map((retry) => `${docker}\njobs: [{retry: ' ${retry} '}]`),
  ...["' push '", "[' !push ', pull]", "' ! push '", "' '", "'!'"].map((event) => `${docker}\nwhen: {event: ${event}}`),
  ...["' main '", "'!'", "[' ! ']", "' '", "'!!'", "1"].map((branch) => `${docker}\nwhen: {branch: ${branch}}`),
  ...["['']", "[' ']", "[a, 1, null]"].map((stages) => `${docker}\nstages: ${stages}`),
  ...["A", "1A=b", "' A=b'", "A=", "''", "1", "true"].flatMap((env) =>
    [`env: [${env}]`, `jobs: [{env: [${env}]}]`, `services: [{name: a, image: b, env: [${env}]}]`].map(
      (key) => `${docker}\n${key}`,
    ),
  ),
  `${docker}\nservices: [{name: a, image: b, env: ['\${A}=1']}]\nmatrix: {A: [X]}`,
  `${docker}\nservices: [{name: a, image: b, command: [null]}]\ncache: [{name: a, key: [null], paths: [null]}]`,
  `${docker}\ncache: [null]`,
  "driver: {type: qemu, image: a, keep_on_failure: '${A}'}\nmatrix: {A: [5]}",
  "driver: {type: '${A}'}\nmatrix: {A: [os]}",
  "driver: {type: '${A}', image: a, workspace: /b, pull: }\nmatrix: {A: [docker]}",
  "driver: {type: '${A}', image: a, size: 1}\nmatrix: {A: [qemu]}",
  "driver: {type: docker, image: a, workspace: /b, pull: '${A}'}\nmatrix: {A: [always, if-not-present]}",
])("the schema and the parser agree on %j", (text) => {
  expect(validate(parse(text))).toBe("manifest" in readManifest(text, limits));
});

test("every key has a description, and an example that the schema accepts", () => {
  let count = 0;
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, property] of Object.entries((node as { properties?: object }).properties ?? {})) {
      expect([name, property]).toEqual([
        name,
        expect.objectContaining({ description: expect.stringMatching(/^[A-Z].+/) }),
      ]);
      for (const example of property.examples)
        expect(new Ajv({ allowUnionTypes: true }).compile(property)(example)).toBe(true);
      count++;
    }
    for (const [name, child] of Object.entries(node)) if (name !== "not") visit(child);
  };
  visit(schema);
  expect(count).toBeGreaterThan(15);
});
