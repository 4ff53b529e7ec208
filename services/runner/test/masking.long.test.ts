import { checkOutputs } from "./_masking.js";

test(
  "of a million outputs none shows a secret, in no spelling, however they are cut, and all else is shown",
  () => checkOutputs(2_000),
  3_600_000,
);
