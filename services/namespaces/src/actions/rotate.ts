import { rotate } from "@ci/kit/security/rotate";
import { encryptedFields } from "../store/encrypted-fields.js";

void rotate("namespaces", encryptedFields);
