// Submits a build through the types that openapi-typescript has generated: URL TOKEN MANIFEST.
import createClient from "openapi-fetch";
import type { paths } from "./schema";

async function submit([baseUrl, token, manifest]: string[]): Promise<object> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  const submitted = await client.POST("/builds", { body: { manifest: manifest!, comment: "generated" } });
  if (!submitted.data) throw new Error(JSON.stringify(submitted.error));
  const { user, number } = submitted.data;
  const path = { user: user.username, number };
  const { data: build, error } = await client.GET("/b/{user}/{number}", { params: { path } });
  if (!build) throw new Error(JSON.stringify(error));
  // @ts-expect-error A build needs a manifest.
  const { response } = await client.POST("/builds", { body: { comment: "no manifest" } });
  if (response.status !== 400) throw new Error(`A build without manifest: ${response.status}`);
  return { id: build.id, comment: build.trigger.comment, status: build.status };
}

submit(process.argv.slice(2)).then((result) => console.log(JSON.stringify(result)));
