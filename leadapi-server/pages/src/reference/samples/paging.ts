import createClient from "openapi-fetch";
// npx openapi-typescript openapi.json --output openapi.ts
import type { paths } from "./openapi.js";

const client = createClient<paths>({
  baseUrl: process.env.LEADAPI_URL,
  headers: { Authorization: `Bearer ${process.env.LEADAPI_TOKEN}` },
});

const leads = new Map<string, string>();
for (let offset = 0, total = 1; offset < total; ) {
  const { data: page, error } = await client.GET("/leads", { params: { query: { limit: 20, offset } } });
  if (error) throw new Error(error.error);
  // A lead that is created during the loop moves others to the next page, so the ids remove duplicates.
  for (const lead of page.data) leads.set(lead.id, lead.name);
  if (page.data.length === 0) break;
  offset += page.data.length;
  total = page.total;
}
console.log(leads.size, "leads");
