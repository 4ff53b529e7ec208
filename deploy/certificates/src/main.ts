// Makes the certificates of an installation with Compose: `node dist/main.js FOLDER UID GID`.
import { writeCertificates } from "./write.js";

const [folder = "", uid = "", gid = uid] = process.argv.slice(2);
writeCertificates(folder, { uid: Number(uid), gid: Number(gid) }).then(
  (done) => process.stdout.write(`${done}\n`),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
