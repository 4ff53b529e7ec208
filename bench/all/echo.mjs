// The reference for requests: express in one process, which calls a gRPC service in another one.
//   echo.mjs front    HTTP: GET /echo returns a body of `?bytes=`; POST /insert stores its body in MongoDB first
//   echo.mjs back     the gRPC service
import { createRequire } from "node:module";
import { start } from "../processes.mjs";

const from = (/** @type {string} */ path) => createRequire(new URL(`../../${path}/package.json`, import.meta.url));
const grpc = from("libs/kit")("@grpc/grpc-js");
const [side, mongoUrl] = process.argv.slice(2);

const asIs = (/** @type {Buffer} */ bytes) => bytes;
const method = (/** @type {string} */ name) => ({
  path: `/Bare/${name}`,
  requestStream: false,
  responseStream: false,
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
});
const definition = { echo: method("Echo"), insert: method("Insert") };

/** @param {(error: Error | null, port: number) => void} bound */
const back = async (bound) => {
  const { MongoClient } = from("libs/kit")("mongodb");
  const client = await MongoClient.connect(mongoUrl, { writeConcern: { w: "majority", journal: true } });
  const docs = client.db("bare").collection("docs");
  const server = new grpc.Server();
  server.addService(definition, {
    echo: (/** @type {any} */ { request }, /** @type {any} */ done) => done(null, Buffer.alloc(Number(request), "x")),
    insert: (/** @type {any} */ { request }, /** @type {any} */ done) =>
      docs.insertOne({ text: request.toString() }).then(() => done(null, request), done),
  });
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), bound);
};

const front = async () => {
  const { hello } = await start("all/echo.mjs", ["back", mongoUrl]);
  const Client = grpc.makeGenericClientConstructor(definition, "Bare");
  const bare = new Client(`127.0.0.1:${hello.port}`, grpc.credentials.createInsecure());
  const express = createRequire(from("services/gateway").resolve("express-gateway"))("express");
  const app = express();
  const reply =
    (/** @type {any} */ response, /** @type {number} */ status) =>
    (/** @type {any} */ error, /** @type {Buffer} */ bytes) =>
      error
        ? response.status(500).end()
        : response
            .status(status)
            .type("application/json")
            .send(JSON.stringify({ text: bytes.toString() }));
  app.get("/echo", (/** @type {any} */ { query }, /** @type {any} */ response) =>
    bare.echo(Buffer.from(query.bytes), reply(response, 200)),
  );
  app.post("/insert", express.json(), (/** @type {any} */ { body }, /** @type {any} */ response) =>
    bare.insert(Buffer.from(JSON.stringify(body)), reply(response, 201)),
  );
  const server = app.listen(0, "127.0.0.1", () => process.send?.({ port: server.address().port }));
};

process.once("disconnect", () => process.exit());
if (side === "back") await back((error, port) => (error ? process.exit(1) : process.send?.({ port })));
else await front();
