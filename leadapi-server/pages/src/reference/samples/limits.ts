import createClient from "openapi-fetch";
// npx openapi-typescript openapi.json --output openapi.ts
import type { paths } from "./openapi.js";

/** Sends a request again after each 429, once the time in Retry-After has passed. */
async function patientFetch(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request.clone());
    if (response.status !== 429) return response;
    const seconds = Number(response.headers.get("Retry-After"));
    await new Promise((done) => setTimeout(done, seconds * 1000));
  }
}

const client = createClient<paths>({
  baseUrl: process.env.LEADAPI_URL,
  headers: { Authorization: `Bearer ${process.env.LEADAPI_TOKEN}` },
  fetch: patientFetch,
});
const { data, error } = await client.GET("/leads", { params: { query: { limit: 1 } } });
if (error) throw new Error(error.error);
console.log(data.total, "leads");
