import { readManifest } from "./manifest.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500 };

test.each([
  ["image: Busybox:1", "Busybox:1", 31],
  ["image: ' a:$TAG '", "a:$TAG", 31],
  [`pull: always, image: 'a:\${NODE}'`, `a:\${NODE}`, 45],
])("a driver with %s is refused, but not in a stored manifest", (image, name, column) => {
  const text = `driver: {type: docker, ${image}, workspace: /b}`;
  const message = `Manifest line 1, column ${column}: "${name}" is not the name of an image`;
  expect(readManifest(text, limits).complaints).toEqual([{ message, line: 1, column }]);
  expect(readManifest(text, { ...limits, isStored: true })).toHaveProperty("manifest");
});

test.each(["a", "a:1", "Host/a", "host:5000/a/b_c:V1.0", "docker.io/library/a", `a@sha256:${"0".repeat(64)}`, "f0e1"])(
  "an image can be called %s",
  (image) => {
    const text = `driver: {type: docker, image: "${image}", workspace: /b}\nservices: [{name: db, image: "${image}"}]`;
    expect(readManifest(text, limits).complaints).toEqual([]);
  },
);
