import { rotate } from "@ci/kit/security/rotate";
import { sealedFields } from "./store/sealed.js";

void rotate("images", sealedFields);
