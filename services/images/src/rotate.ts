import { rotate } from "@ci/kit/rotate";
import { sealedFields } from "./store/sealed.js";

void rotate("images", sealedFields);
