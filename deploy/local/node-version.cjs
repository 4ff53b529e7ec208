// The scripts that newcomers run first load this with `node -r`. Its syntax suits old versions of Node, which cannot parse those scripts.
const minNode = [20, 19];
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < minNode[0] || (major === minNode[0] && minor < minNode[1])) {
  console.error(`Node ${minNode.join(".")} or later is needed, this is ${process.versions.node}.`);
  process.exit(1);
}
