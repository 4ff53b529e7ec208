import { checkOutputs } from "./_masking.js";

test("of 50,000 outputs none shows a secret, in no spelling, however they are cut, and all else is shown", () =>
  checkOutputs(100));
