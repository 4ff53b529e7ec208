// Loaded into each process by `npm run profile`. Profiles from SIGUSR2 until the process ends.
const { writeFileSync } = require("node:fs");
const { Session } = require("node:inspector");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

process.once("SIGUSR2", () => {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.start");
  process.once("exit", () => {
    session.post("Profiler.stop", (error, { profile }) => {
      if (error) throw error;
      const file = join(tmpdir(), `service-ci-${process.ppid}-${process.pid}.cpuprofile`);
      writeFileSync(file, JSON.stringify(profile));
    });
  });
});
