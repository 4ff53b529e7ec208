import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { collect } from "@ci/builds/domain/artifacts";
import { isFinal } from "@ci/builds/domain/build";
import { append, finishJob } from "@ci/builds/domain/moves";
import { recordVerdict } from "@ci/builds/domain/verdict";
import { receiveUpload, type UploadMessage } from "@ci/kit/bytes/upload";
import { Fault } from "@ci/kit/rpc/fault";
import {
  AppendOutputRequest,
  type ArtifactHeader,
  FinishJobRequest,
  PutTestsRequest,
  ReadAssignedObjectRequest,
  RecordVerdictRequest,
} from "@ci/proto/builds/v1/queue";
import type { BuildQueue } from "@ci/runner/context";
import { type CachePlace, localCaches } from "./caches.js";
import type { Emit } from "./events.js";
import type { HeldBuild } from "./held-build.js";

export interface QueueOptions {
  readonly build: HeldBuild;
  readonly caches: CachePlace;
  /** Files of objects, by their names in the manifest. */
  readonly objects: Readonly<Record<string, string>>;
  /** Returns the file for an artifact. Throws if its name is not a valid file name. */
  readonly artifactPath: (name: string) => Promise<string>;
  readonly emit: Emit;
}

function artifactStore({ build, artifactPath, emit }: QueueOptions): BuildQueue["putArtifact"] {
  let newId = 1_000_000;
  const refused = (error: Error): never => {
    throw new Fault("invalid", error.message);
  };
  const pathOf = (name: string) => artifactPath(name).catch(refused);

  return async (parts) => {
    const { header, content } = await receiveUpload(parts as AsyncIterable<UploadMessage<ArtifactHeader>>);
    const { epoch, artifactId, source, name } = header;
    const entry = build.doc().artifacts.find(({ id }) => id === artifactId);
    const blobId = randomUUID();
    const part = join(dirname(await pathOf(name ?? entry?.name ?? "")), `${blobId}.part`);
    const [md5, sha256] = [createHash("md5"), createHash("sha256")];
    let size = 0;
    async function* hashed(pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        md5.update(piece);
        sha256.update(piece);
        size += piece.length;
        yield piece;
      }
    }
    try {
      const opened = await open(part, "wx").catch(refused);
      await pipeline(content, hashed, opened.createWriteStream());
      const file = { artifactId, source, name, blobId, size, md5: md5.digest("hex"), sha256: sha256.digest("hex") };
      await build.change((doc) => collect(doc, epoch, file, ++newId));
      const record = build.doc().artifacts.find((one) => one.blobId === blobId)!;
      const path = await pathOf(record.name);
      await rename(part, path).catch(refused);
      await emit({ event: "artifact", data: { name: record.name, source: record.source, path, size } });
    } finally {
      await rm(part, { force: true });
    }
    return { size };
  };
}

/** Replaces the builds service's queue: applies the same changes to a build in memory. */
export function localQueue(options: QueueOptions): BuildQueue {
  const { build, caches, objects, emit } = options;
  return {
    ...localCaches(caches),
    putArtifact: artifactStore(options),
    async appendOutput(request) {
      const { epoch, ...piece } = AppendOutputRequest.fromPartial(request);
      await build.change((doc) => append(doc, epoch, piece, new Date()));
      return {};
    },
    async finishJob(request) {
      const { placedObjectIds: placed, ...report } = FinishJobRequest.fromPartial(request);
      await build.change((doc) => finishJob(doc, { ...report, placed }, new Date()));
      return { final: isFinal(build.doc().status) };
    },
    async recordVerdict(request) {
      await build.change((doc) => recordVerdict(doc, RecordVerdictRequest.fromPartial(request), new Date()));
      return {};
    },
    async *readAssignedObject(request) {
      const { id } = ReadAssignedObjectRequest.fromPartial(request);
      const { source = "" } = build.doc().objects.find((object) => object.id === id) ?? {};
      try {
        for await (const chunk of createReadStream(objects[source]!)) yield { chunk };
      } catch (error) {
        throw new Fault("precondition", `cannot be read: ${(error as Error).message}`);
      }
    },
    async putTests(request) {
      for (const { suite, name, status, message } of PutTestsRequest.fromPartial(request).cases)
        if (status === "failed") await emit({ event: "test", data: { suite, name, message } });
      return {};
    },
  };
}
