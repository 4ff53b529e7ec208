import type * as model from "./_model.js";

/** Manifests, and what they say about each job, beginning with create-driver. */
export const shapes: readonly { text: string; plans: readonly model.JobPlan[]; artifacts: readonly string[] }[] = [
  { text: "driver: {type: os}", plans: [{}], artifacts: [] },
  {
    text: `driver: {type: os}
stages: [make, test]
allow_failures: [test]
jobs:
- {stage: make, commands: [a], artifacts: [out.txt]}
- {stage: test, commands: [b], artifacts: [log.txt]}`,
    plans: [{}, {}, { mayFail: true }],
    artifacts: ["log.txt", "out.txt"],
  },
  {
    text: `driver: {type: os}
stages: [make, test]
allow_failures: [make]
jobs:
- {stage: make, commands: [a]}
- {stage: make, commands: [b], artifacts: [out.txt]}
- {stage: test, commands: [c]}`,
    plans: [{}, { mayFail: true }, { mayFail: true }, {}],
    artifacts: ["out.txt"],
  },
  {
    text: `driver: {type: os}
stages: [make, test, end]
allow_failures: [end]
parallel: [make, test]
jobs:
- {stage: make, commands: [a], retry: 2}
- {stage: make, commands: [b], artifacts: [out.txt], timeout: 1s}
- {stage: make, commands: [c], when: {status: failed}}
- {stage: test, commands: [d]}
- {stage: test, commands: [e], when: {status: [passed, failed]}}
- {stage: test, commands: [f], when: {status: [failed, passed]}}
- {stage: end, commands: [g], when: {status: failed}}
- {stage: end, commands: [h]}`,
    plans: [
      {},
      { parallel: "make" },
      { parallel: "make" },
      { parallel: "make", on: ["failed"] },
      { parallel: "test" },
      { parallel: "test", on: ["passed", "failed"] },
      { parallel: "test", on: ["passed", "failed"] },
      { mayFail: true, on: ["failed"] },
      { mayFail: true },
    ],
    artifacts: ["out.txt"],
  },
];
