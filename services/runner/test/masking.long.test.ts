import { checkOutputs } from "./_masking.js";

test(
  "the mask hides secrets in a million outputs, in every spelling and cut, and shows everything else",
  () => checkOutputs(2_000),
  3_600_000,
);
