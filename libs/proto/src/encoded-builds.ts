import {
  type BuildServiceClient,
  BuildServiceDefinition,
  type BuildServiceImplementation,
  EncodedBuilds,
} from "./gen/ci/builds/v1/builds.js";

const { methods } = BuildServiceDefinition;

/** BuildService, with the builds of lists left encoded. The bytes are the same, so a peer may use either definition. */
export const EncodedBuildServiceDefinition = {
  ...BuildServiceDefinition,
  methods: { ...methods, listBuilds: { ...methods.listBuilds, responseType: EncodedBuilds } },
} as const;

export type EncodedBuildServiceClient = Omit<BuildServiceClient, "listBuilds"> & {
  listBuilds(...call: Parameters<BuildServiceClient["listBuilds"]>): Promise<EncodedBuilds>;
};

export type EncodedBuildServiceImplementation<Ext> = Omit<BuildServiceImplementation<Ext>, "listBuilds"> & {
  listBuilds(...call: Parameters<BuildServiceImplementation<Ext>["listBuilds"]>): Promise<EncodedBuilds>;
};
