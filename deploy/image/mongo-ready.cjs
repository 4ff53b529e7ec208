// Says over HTTP whether the member of a replica set beside it counts as available, for mongo.cjs.
const { createServer } = require("node:http");

/**
 * Reports whether a member has the set's data. One that belongs to no set yet is ready too: otherwise an upgrade that adds members
 * would never replace the pod that lets them join.
 * @param {{ isWritablePrimary: boolean, secondary?: boolean, isreplicaset?: boolean }} hello
 */
const isReady = ({ isWritablePrimary, secondary, isreplicaset }) => isWritablePrimary || !!secondary || !!isreplicaset;

/** Answers 200 while the member is ready, otherwise 503. @param {number} port @param {() => Promise<any>} hello */
const serveReady = (port, hello) => {
  /** @type {Promise<boolean> | undefined} */
  let asking;
  const server = createServer(async (_request, response) => {
    asking ??= hello()
      .then(isReady, () => false)
      .finally(() => {
        asking = undefined;
      });
    response.writeHead((await asking) ? 200 : 503).end();
  });
  server.listen(port);
};

module.exports = { serveReady };
