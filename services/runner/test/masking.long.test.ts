import { checkOutputs } from "./_masking.js";

test(
  "hides secrets in every spelling and cut of a million outputs, and shows everything else",
  () => checkOutputs(2_000),
  3_600_000,
);
